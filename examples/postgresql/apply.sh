#!/usr/bin/env bash
# apply.sh WORK_MEM RANDOM_PAGE_COST EFFECTIVE_IO_CONCURRENCY: applies a setting without a restart, and waits until new
# connections have it.
set -euo pipefail

work_mem=${1:?} random_page_cost=${2:?} effective_io_concurrency=${3:?}
psql -qX -v ON_ERROR_STOP=1 -o /dev/null <<SQL
alter system set work_mem = '${work_mem}kB';
alter system set random_page_cost = $random_page_cost;
alter system set effective_io_concurrency = $effective_io_concurrency;
select pg_reload_conf();
SQL
for ((i = 0; i < 50; ++i)); do # the server reads its files after a moment
  is_set=$(psql -qXAt -c "
    select current_setting('effective_io_concurrency')::integer = $effective_io_concurrency
       and abs(current_setting('random_page_cost')::float8 - $random_page_cost) < 0.001 -- it says six digits
       and pg_size_bytes(current_setting('work_mem')) = $work_mem * 1024::bigint")
  [[ $is_set == t ]] && exit
  sleep 0.05
done
echo "apply.sh: the server has not applied the setting" >&2
exit 1
