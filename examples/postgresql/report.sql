-- Once in every measurement: a report with 300 000 groups. It takes as much memory as work_mem allows, up to 60 MB.
select sum(total), max(mean)
  from (select customer, day, amount, sum(amount) as total, avg(amount) as mean from orders group by customer, day, amount) groups;
