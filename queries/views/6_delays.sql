-- Queueing delays of the GPU jobs of the window that waited, each; all other jobs that started waited for nothing.
CREATE VIEW delays_of_jobs AS
SELECT cluster, vc, "user", gpu_num, submit_time, queueing_delay_s FROM jobs WHERE gpu_num > 0 AND queueing_delay_s > 0;
CREATE MACRO delays_in(clusters, vcs, window_start, window_end) AS TABLE
FROM query_table(CASE WHEN rolled_up() THEN 'delays' ELSE 'delays_of_jobs' END)
WHERE submit_time >= window_start AND submit_time < window_end AND chosen(cluster, clusters) AND chosen(vc, vcs);

-- A quantile of the delays of started jobs, linearly interpolated: waits are those above zero, in order; null where none started.
CREATE MACRO delay_in_order(place, started_jobs, waits) AS CASE
    WHEN place < started_jobs - len(waits) THEN 0 ELSE waits[(place - (started_jobs - len(waits)) + 1)::BIGINT]
END;
CREATE MACRO delay_quantile(share, started_jobs, waits) AS CASE WHEN started_jobs > 0 THEN
    delay_in_order(floor(share * (started_jobs - 1)), started_jobs, waits)
    + (share * (started_jobs - 1) - floor(share * (started_jobs - 1))) * (
        delay_in_order(ceil(share * (started_jobs - 1)), started_jobs, waits)
        - delay_in_order(floor(share * (started_jobs - 1)), started_jobs, waits)
    )
END;
