-- Nine in ten transactions: what one country bought in three days. By the index of the customers where random pages
-- are held to be cheap, by reading all customers where they are not.
\set first random(1, 990)
\set country random(0, 39)
select count(*), sum(o.amount) from orders o join customers c on c.id = o.customer
  where o.day between :first and :first + 2 and c.country between :country and :country + 9;
