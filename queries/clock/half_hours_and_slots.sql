-- What a window has of whole local half hours.
CREATE MACRO first_whole_half_hour(window_start) AS
    half_hour_of(window_start) + CASE WHEN half_hour_of(window_start) = window_start THEN INTERVAL 0 MINUTE ELSE INTERVAL 30 MINUTE END;
CREATE MACRO end_of_whole_half_hours(window_start, window_end) AS CASE
    WHEN rolled_up() THEN greatest(
        first_whole_half_hour(window_start), half_hour_of(window_end) + beyond_all(window_end)::INTEGER * INTERVAL 30 MINUTE
    )
    ELSE first_whole_half_hour(window_start)
END;
-- Whether bins of the window consist of local half hours, in which submissions are counted.
CREATE MACRO has_half_hours(window_start, bin_s) AS rolled_up() AND bin_s % 1800 = 0 AND half_hour_of(window_start) = window_start;

-- Slots whose GPU time is written at import can be added up where bins consist of them: half hours, else ten minutes, else none.
CREATE MACRO slot_s(window_start, bin_s) AS CASE
    WHEN NOT rolled_up() THEN NULL
    WHEN bin_s % 1800 = 0 AND (epoch_us(window_start) - phase_us()) % 1_800_000_000 = 0 THEN 1800
    WHEN bin_s % 600 = 0 AND (epoch_us(window_start) - phase_us()) % 600_000_000 = 0 THEN 600
END;
CREATE MACRO end_of_slots(window_start, window_end, bin_s) AS list_transform(
    [slot_s(window_start, bin_s) * 1_000_000::BIGINT],
    lambda slot_us: make_timestamp((epoch_us(window_end) - phase_us()) // slot_us * slot_us + phase_us())
)[1];
