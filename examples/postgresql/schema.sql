-- A shop: 100 000 customers, 300 000 orders, and 150 000 addresses that get no mail.
create table customers (id integer primary key, country integer, email text);
insert into customers select i, i % 50, md5(i::text) from generate_series(1, 100000) i;
create table no_mail (email text);
insert into no_mail select md5('x' || i) from generate_series(1, 150000) i;
create table orders (id integer primary key, customer integer, day integer, amount integer);
insert into orders
  select i, 1 + (i * 7919::bigint) % 100000, i / 300, (i * 31::bigint) % 1000 from generate_series(1, 300000) i;
create index on orders (day);
vacuum analyze;
