-- The user of the migration creates the users of the services. MariaDB runs this only while its disk is empty.
GRANT CREATE USER ON *.* TO batuta@'%';
GRANT ALL PRIVILEGES ON batuta.* TO batuta@'%' WITH GRANT OPTION;
