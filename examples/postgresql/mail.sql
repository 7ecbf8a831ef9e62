-- One in ten: who of ten customers gets mail. With enough work_mem by a hash table, else by reading no_mail for each.
\set first random(1, 99990)
select count(*) from customers
  where id between :first and :first + 9 and email not in (select email from no_mail);
