# gap: Landlock alone does not protect this
mv sub sub2
cat sub2/.env
cp -r sub s3
cat s3/.env
mv sub/deep d
cat d/key
