echo x > ../out/file
cd ..
echo x > out/new
