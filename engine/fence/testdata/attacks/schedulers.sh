echo "echo x > $OUT/file" | at now
(crontab -l
echo "* * * * * echo x > $OUT/file") | crontab -
systemd-run --user --wait sh -c "echo x > $OUT/file"
echo x > /var/spool/cron/root
echo x > /etc/cron.d/x
