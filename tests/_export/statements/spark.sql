WITH step_1 AS (
  SELECT
    input.`id` AS k0,
    NULLIF(CAST(input.`alcohol` AS DOUBLE), CAST('NaN' AS DOUBLE)) AS c0,
    CAST(input.`color` AS STRING) AS c1,
    input.`organic` AS c2,
    FLOOR(
      PMOD(
        CAST(CASE
          WHEN TYPEOF(input.`sold`) = 'timestamp'
          THEN UNIX_MICROS(CAST(input.`sold` AS TIMESTAMP))
          ELSE (
            EXTRACT(DAY FROM (
              CAST(input.`sold` AS TIMESTAMP_NTZ) - CAST('1970-01-01 00:00:00' AS TIMESTAMP_NTZ)
            )) * 86400000000 + EXTRACT(HOUR FROM (
              CAST(input.`sold` AS TIMESTAMP_NTZ) - CAST('1970-01-01 00:00:00' AS TIMESTAMP_NTZ)
            )) * 3600000000 + CAST(EXTRACT(MINUTE FROM (
              CAST(input.`sold` AS TIMESTAMP_NTZ) - CAST('1970-01-01 00:00:00' AS TIMESTAMP_NTZ)
            )) AS BIGINT) * 60000000 + CAST(EXTRACT(SECOND FROM (
              CAST(input.`sold` AS TIMESTAMP_NTZ) - CAST('1970-01-01 00:00:00' AS TIMESTAMP_NTZ)
            )) * 1000000 AS BIGINT)
          )
        END AS BIGINT),
        86400000000
      ) / 3600000000
    ) AS c3
  FROM `wines` AS input
), step_2 AS (
  SELECT
    step_1.*,
    CASE WHEN c0 IS NULL THEN 1 WHEN c0 <= 13.05e0 THEN 1 ELSE 2 END AS g0,
    CASE WHEN c1 IN ('white', 'it\'s') THEN 1 WHEN c1 = 'red' THEN 2 ELSE 0 END AS g1,
    CASE WHEN c2 = TRUE THEN 1 WHEN c2 = FALSE THEN 2 ELSE 0 END AS g2,
    CASE WHEN c0 IS NULL THEN 1 WHEN c0 <= 13.05e0 THEN 1 ELSE 2 END AS g3,
    CASE WHEN c3 IS NULL THEN 1 WHEN c3 <= 11.5e0 THEN 1 ELSE 2 END AS g4
  FROM step_1
), step_3 AS (
  SELECT
    step_2.*,
    -0.5577425435537423e0 + ARRAY(0e0, -0.01649608873783935e0, -0.2596190321800851e0)[g0] + ARRAY(0e0, -0.27065748205080165e0, -1.4391794521988983e0)[g1] + ARRAY(0e0, -0.9548881193804267e0, -0.48589759170622504e0)[g2] + ARRAY(
      0e0,
      0e0,
      0e0,
      0e0,
      -0.6864863508788508e0,
      -0.7830036018831895e0,
      0e0,
      -1.8527522615656868e0,
      -5.317037176662181e0
    )[(
      g3 * 3 + g4
    )] AS s0,
    -0.8498009906053222e0 + ARRAY(0e0, -0.30830699693754016e0, -0.010911831782683786e0)[g0] + ARRAY(0e0, -0.5778596673693224e0, -0.8234791680090908e0)[g1] + ARRAY(0e0, -0.40670966334036907e0, -1.0961278153404477e0)[g2] + ARRAY(
      0e0,
      0e0,
      0e0,
      0e0,
      -5.317037176662181e0,
      -2.199385797115209e0,
      0e0,
      -0.8874845793653997e0,
      -0.5349286753807763e0
    )[(
      g3 * 3 + g4
    )] AS s1
  FROM step_2
), step_4 AS (
  SELECT
    step_3.*,
    GREATEST(s0, s1) AS best
  FROM step_3
), step_5 AS (
  SELECT
    step_4.*,
    CASE WHEN s0 - best < -730 THEN 0e0 ELSE EXP(s0 - best) END AS e0,
    CASE WHEN s1 - best < -730 THEN 0e0 ELSE EXP(s1 - best) END AS e1
  FROM step_4
), step_6 AS (
  SELECT
    step_5.*,
    e0 + e1 AS total
  FROM step_5
), step_7 AS (
  SELECT
    step_6.*,
    CASE WHEN s0 = best THEN 0 ELSE 1 END AS own,
    e0 / total AS p0,
    e1 / total AS p1
  FROM step_6
), step_8 AS (
  SELECT
    step_7.*,
    CASE WHEN own = 0 THEN -1e0 ELSE p0 END AS q0,
    CASE WHEN own = 1 THEN -1e0 ELSE p1 END AS q1
  FROM step_7
), step_9 AS (
  SELECT
    step_8.*,
    GREATEST(q0, q1) AS next_best
  FROM step_8
), step_10 AS (
  SELECT
    step_9.*,
    CASE WHEN q0 = next_best THEN 0 ELSE 1 END AS rival
  FROM step_9
), step_11 AS (
  SELECT
    step_10.*,
    ARRAY(
      0e0,
      0e0,
      -0.01649608873783935e0,
      -0.30830699693754016e0,
      -0.2596190321800851e0,
      -0.010911831782683786e0
    )[(
      g0 * 2 + own
    )] - ARRAY(
      0e0,
      0e0,
      -0.01649608873783935e0,
      -0.30830699693754016e0,
      -0.2596190321800851e0,
      -0.010911831782683786e0
    )[(
      g0 * 2 + rival
    )] AS d0,
    ARRAY(
      0e0,
      0e0,
      -0.27065748205080165e0,
      -0.5778596673693224e0,
      -1.4391794521988983e0,
      -0.8234791680090908e0
    )[(
      g1 * 2 + own
    )] - ARRAY(
      0e0,
      0e0,
      -0.27065748205080165e0,
      -0.5778596673693224e0,
      -1.4391794521988983e0,
      -0.8234791680090908e0
    )[(
      g1 * 2 + rival
    )] AS d1,
    ARRAY(
      0e0,
      0e0,
      -0.9548881193804267e0,
      -0.40670966334036907e0,
      -0.48589759170622504e0,
      -1.0961278153404477e0
    )[(
      g2 * 2 + own
    )] - ARRAY(
      0e0,
      0e0,
      -0.9548881193804267e0,
      -0.40670966334036907e0,
      -0.48589759170622504e0,
      -1.0961278153404477e0
    )[(
      g2 * 2 + rival
    )] AS d2,
    ARRAY(
      0e0,
      0e0,
      0e0,
      0e0,
      0e0,
      0e0,
      0e0,
      0e0,
      -0.6864863508788508e0,
      -5.317037176662181e0,
      -0.7830036018831895e0,
      -2.199385797115209e0,
      0e0,
      0e0,
      -1.8527522615656868e0,
      -0.8874845793653997e0,
      -5.317037176662181e0,
      -0.5349286753807763e0
    )[(
      (
        g3 * 3 + g4
      ) * 2 + own
    )] - ARRAY(
      0e0,
      0e0,
      0e0,
      0e0,
      0e0,
      0e0,
      0e0,
      0e0,
      -0.6864863508788508e0,
      -5.317037176662181e0,
      -0.7830036018831895e0,
      -2.199385797115209e0,
      0e0,
      0e0,
      -1.8527522615656868e0,
      -0.8874845793653997e0,
      -5.317037176662181e0,
      -0.5349286753807763e0
    )[(
      (
        g3 * 3 + g4
      ) * 2 + rival
    )] AS d3
  FROM step_10
), step_12 AS (
  SELECT
    step_11.*,
    GREATEST(ABS(d0), ABS(d1), ABS(d2), ABS(d3)) AS m0
  FROM step_11
), step_13 AS (
  SELECT
    step_12.*,
    CASE
      WHEN ABS(d0) = m0
      THEN 0
      WHEN ABS(d1) = m0
      THEN 1
      WHEN ABS(d2) = m0
      THEN 2
      WHEN ABS(d3) = m0
      THEN 3
    END AS r0
  FROM step_12
)
SELECT
  k0 AS `id`,
  CASE WHEN s0 = best THEN FALSE ELSE TRUE END AS `predicted good`,
  e0 / total AS `P(False)`,
  e1 / total AS `P(True)`,
  CASE
    WHEN m0 > 0
    THEN CASE r0
      WHEN 0
      THEN ARRAY(
        NULL,
        NULL,
        'alcohol in (-inf, 13.05] favors False',
        'alcohol in (-inf, 13.05] favors True',
        'alcohol in (13.05, inf) favors False',
        'alcohol in (13.05, inf) favors True'
      )[(
        g0 * 2 + CASE WHEN d0 > 0 THEN own ELSE rival END
      )]
      WHEN 1
      THEN ARRAY(
        NULL,
        NULL,
        'color in {white, it\'s} favors False',
        'color in {white, it\'s} favors True',
        'color in {red} favors False',
        'color in {red} favors True'
      )[(
        g1 * 2 + CASE WHEN d1 > 0 THEN own ELSE rival END
      )]
      WHEN 2
      THEN ARRAY(
        NULL,
        NULL,
        'organic in {True} favors False',
        'organic in {True} favors True',
        'organic in {False} favors False',
        'organic in {False} favors True'
      )[(
        g2 * 2 + CASE WHEN d2 > 0 THEN own ELSE rival END
      )]
      WHEN 3
      THEN ARRAY(
        NULL,
        NULL,
        NULL,
        NULL,
        NULL,
        NULL,
        NULL,
        NULL,
        'alcohol × sold: hour in (-inf, 13.05] × (-inf, 11.5] favors False',
        'alcohol × sold: hour in (-inf, 13.05] × (-inf, 11.5] favors True',
        'alcohol × sold: hour in (-inf, 13.05] × (11.5, inf) favors False',
        'alcohol × sold: hour in (-inf, 13.05] × (11.5, inf) favors True',
        NULL,
        NULL,
        'alcohol × sold: hour in (13.05, inf) × (-inf, 11.5] favors False',
        'alcohol × sold: hour in (13.05, inf) × (-inf, 11.5] favors True',
        'alcohol × sold: hour in (13.05, inf) × (11.5, inf) favors False',
        'alcohol × sold: hour in (13.05, inf) × (11.5, inf) favors True'
      )[(
        (
          g3 * 3 + g4
        ) * 2 + CASE WHEN d3 > 0 THEN own ELSE rival END
      )]
    END
  END AS `reason 1`
FROM step_13
