# gap: Landlock alone does not protect this
# gap of bubblewrap: it protects only the targets of links
rm linked/hooks && mkdir linked/hooks && echo evil > linked/hooks/pre-commit
mv linked/hooks linked/h
ln -sfn sub linked/hooks
mv linked linked2
rm linked/settings && echo evil > linked/settings
rm linked/missing && echo evil > linked/missing
echo evil > linked/hooks/old
echo evil > linked/middle
