WITH step_1 AS (
  SELECT
    input."id" AS k0,
    NULLIF(CAST(input."alcohol" AS DOUBLE PRECISION), CAST('NaN' AS DOUBLE PRECISION)) AS c0,
    CAST(input."color" AS TEXT) AS c1,
    input."organic" AS c2,
    EXTRACT(HOUR FROM (
      TO_TIMESTAMP(FLOOR((
        EXTRACT(EPOCH FROM input."sold") * 1000000
      ) / 1000000)) AT TIME ZONE 'UTC'
    )) AS c3
  FROM "wines" AS input
  OFFSET 0
), step_2 AS (
  SELECT
    step_1.*,
    CASE WHEN c0 IS NULL THEN 1 WHEN c0 <= 13.05e0 THEN 1 ELSE 2 END AS g0,
    CASE WHEN c1 IN ('white', 'it''s') THEN 1 WHEN c1 = 'red' THEN 2 ELSE 0 END AS g1,
    CASE WHEN c2 = TRUE THEN 1 WHEN c2 = FALSE THEN 2 ELSE 0 END AS g2,
    CASE WHEN c0 IS NULL THEN 1 WHEN c0 <= 13.05e0 THEN 1 ELSE 2 END AS g3,
    CASE WHEN c3 IS NULL THEN 1 WHEN c3 <= 11.5e0 THEN 1 ELSE 2 END AS g4
  FROM step_1
  OFFSET 0
), step_3 AS (
  SELECT
    step_2.*,
    CAST(-0.557743e0 AS DOUBLE PRECISION) + CASE g0
      WHEN 1
      THEN CAST(-0.016496031520000003e0 AS DOUBLE PRECISION)
      WHEN 2
      THEN CAST(-0.25961898913e0 AS DOUBLE PRECISION)
      ELSE CAST(0.0e0 AS DOUBLE PRECISION)
    END + CASE g1
      WHEN 1
      THEN CAST(-0.270657e0 AS DOUBLE PRECISION)
      WHEN 2
      THEN CAST(-1.439179e0 AS DOUBLE PRECISION)
      ELSE CAST(0.0e0 AS DOUBLE PRECISION)
    END + CASE g2
      WHEN 1
      THEN CAST(-0.954888e0 AS DOUBLE PRECISION)
      WHEN 2
      THEN CAST(-0.485898e0 AS DOUBLE PRECISION)
      ELSE CAST(0.0e0 AS DOUBLE PRECISION)
    END + CASE (
        g3 * 3 + g4
      )
      WHEN 4
      THEN CAST(-0.686486547508e0 AS DOUBLE PRECISION)
      WHEN 5
      THEN CAST(-0.7830034656679999e0 AS DOUBLE PRECISION)
      WHEN 7
      THEN CAST(-1.852752723792e0 AS DOUBLE PRECISION)
      WHEN 8
      THEN CAST(-5.31703763906e0 AS DOUBLE PRECISION)
      ELSE CAST(0.0e0 AS DOUBLE PRECISION)
    END AS s0,
    CAST(-0.849801e0 AS DOUBLE PRECISION) + CASE g0
      WHEN 1
      THEN CAST(-0.30830692163e0 AS DOUBLE PRECISION)
      WHEN 2
      THEN CAST(-0.010911821212e0 AS DOUBLE PRECISION)
      ELSE CAST(0.0e0 AS DOUBLE PRECISION)
    END + CASE g1
      WHEN 1
      THEN CAST(-0.57786e0 AS DOUBLE PRECISION)
      WHEN 2
      THEN CAST(-0.823479e0 AS DOUBLE PRECISION)
      ELSE CAST(0.0e0 AS DOUBLE PRECISION)
    END + CASE g2
      WHEN 1
      THEN CAST(-0.40671e0 AS DOUBLE PRECISION)
      WHEN 2
      THEN CAST(-1.096128e0 AS DOUBLE PRECISION)
      ELSE CAST(0.0e0 AS DOUBLE PRECISION)
    END + CASE (
        g3 * 3 + g4
      )
      WHEN 4
      THEN CAST(-5.31703763906e0 AS DOUBLE PRECISION)
      WHEN 5
      THEN CAST(-2.1993861387919997e0 AS DOUBLE PRECISION)
      WHEN 7
      THEN CAST(-0.887484314224e0 AS DOUBLE PRECISION)
      WHEN 8
      THEN CAST(-0.5349291158480001e0 AS DOUBLE PRECISION)
      ELSE CAST(0.0e0 AS DOUBLE PRECISION)
    END AS s1
  FROM step_2
  OFFSET 0
), step_4 AS (
  SELECT
    step_3.*,
    GREATEST(s0, s1) AS best
  FROM step_3
  OFFSET 0
), step_5 AS (
  SELECT
    step_4.*,
    CASE WHEN s0 - best < -730 THEN 0e0 ELSE EXP(s0 - best) END AS e0,
    CASE WHEN s1 - best < -730 THEN 0e0 ELSE EXP(s1 - best) END AS e1
  FROM step_4
  OFFSET 0
), step_6 AS (
  SELECT
    step_5.*,
    e0 + e1 AS total
  FROM step_5
  OFFSET 0
), step_7 AS (
  SELECT
    step_6.*,
    CASE WHEN s0 = best THEN 0 ELSE 1 END AS own,
    e0 / total AS p0,
    e1 / total AS p1
  FROM step_6
  OFFSET 0
), step_8 AS (
  SELECT
    step_7.*,
    CASE WHEN own = 0 THEN -1e0 ELSE p0 END AS q0,
    CASE WHEN own = 1 THEN -1e0 ELSE p1 END AS q1
  FROM step_7
  OFFSET 0
), step_9 AS (
  SELECT
    step_8.*,
    GREATEST(q0, q1) AS next_best
  FROM step_8
  OFFSET 0
), step_10 AS (
  SELECT
    step_9.*,
    CASE WHEN q0 = next_best THEN 0 ELSE 1 END AS rival
  FROM step_9
  OFFSET 0
), step_11 AS (
  SELECT
    step_10.*,
    CASE (
        g0 * 2 + own
      )
      WHEN 2
      THEN CAST(-0.016496031520000003e0 AS DOUBLE PRECISION)
      WHEN 3
      THEN CAST(-0.30830692163e0 AS DOUBLE PRECISION)
      WHEN 4
      THEN CAST(-0.25961898913e0 AS DOUBLE PRECISION)
      WHEN 5
      THEN CAST(-0.010911821212e0 AS DOUBLE PRECISION)
      ELSE CAST(0.0e0 AS DOUBLE PRECISION)
    END - CASE (
        g0 * 2 + rival
      )
      WHEN 2
      THEN CAST(-0.016496031520000003e0 AS DOUBLE PRECISION)
      WHEN 3
      THEN CAST(-0.30830692163e0 AS DOUBLE PRECISION)
      WHEN 4
      THEN CAST(-0.25961898913e0 AS DOUBLE PRECISION)
      WHEN 5
      THEN CAST(-0.010911821212e0 AS DOUBLE PRECISION)
      ELSE CAST(0.0e0 AS DOUBLE PRECISION)
    END AS d0,
    CASE (
        g1 * 2 + own
      )
      WHEN 2
      THEN CAST(-0.270657e0 AS DOUBLE PRECISION)
      WHEN 3
      THEN CAST(-0.57786e0 AS DOUBLE PRECISION)
      WHEN 4
      THEN CAST(-1.439179e0 AS DOUBLE PRECISION)
      WHEN 5
      THEN CAST(-0.823479e0 AS DOUBLE PRECISION)
      ELSE CAST(0.0e0 AS DOUBLE PRECISION)
    END - CASE (
        g1 * 2 + rival
      )
      WHEN 2
      THEN CAST(-0.270657e0 AS DOUBLE PRECISION)
      WHEN 3
      THEN CAST(-0.57786e0 AS DOUBLE PRECISION)
      WHEN 4
      THEN CAST(-1.439179e0 AS DOUBLE PRECISION)
      WHEN 5
      THEN CAST(-0.823479e0 AS DOUBLE PRECISION)
      ELSE CAST(0.0e0 AS DOUBLE PRECISION)
    END AS d1,
    CASE (
        g2 * 2 + own
      )
      WHEN 2
      THEN CAST(-0.954888e0 AS DOUBLE PRECISION)
      WHEN 3
      THEN CAST(-0.40671e0 AS DOUBLE PRECISION)
      WHEN 4
      THEN CAST(-0.485898e0 AS DOUBLE PRECISION)
      WHEN 5
      THEN CAST(-1.096128e0 AS DOUBLE PRECISION)
      ELSE CAST(0.0e0 AS DOUBLE PRECISION)
    END - CASE (
        g2 * 2 + rival
      )
      WHEN 2
      THEN CAST(-0.954888e0 AS DOUBLE PRECISION)
      WHEN 3
      THEN CAST(-0.40671e0 AS DOUBLE PRECISION)
      WHEN 4
      THEN CAST(-0.485898e0 AS DOUBLE PRECISION)
      WHEN 5
      THEN CAST(-1.096128e0 AS DOUBLE PRECISION)
      ELSE CAST(0.0e0 AS DOUBLE PRECISION)
    END AS d2,
    CASE (
        (
          g3 * 3 + g4
        ) * 2 + own
      )
      WHEN 8
      THEN CAST(-0.686486547508e0 AS DOUBLE PRECISION)
      WHEN 9
      THEN CAST(-5.31703763906e0 AS DOUBLE PRECISION)
      WHEN 10
      THEN CAST(-0.7830034656679999e0 AS DOUBLE PRECISION)
      WHEN 11
      THEN CAST(-2.1993861387919997e0 AS DOUBLE PRECISION)
      WHEN 14
      THEN CAST(-1.852752723792e0 AS DOUBLE PRECISION)
      WHEN 15
      THEN CAST(-0.887484314224e0 AS DOUBLE PRECISION)
      WHEN 16
      THEN CAST(-5.31703763906e0 AS DOUBLE PRECISION)
      WHEN 17
      THEN CAST(-0.5349291158480001e0 AS DOUBLE PRECISION)
      ELSE CAST(0.0e0 AS DOUBLE PRECISION)
    END - CASE (
        (
          g3 * 3 + g4
        ) * 2 + rival
      )
      WHEN 8
      THEN CAST(-0.686486547508e0 AS DOUBLE PRECISION)
      WHEN 9
      THEN CAST(-5.31703763906e0 AS DOUBLE PRECISION)
      WHEN 10
      THEN CAST(-0.7830034656679999e0 AS DOUBLE PRECISION)
      WHEN 11
      THEN CAST(-2.1993861387919997e0 AS DOUBLE PRECISION)
      WHEN 14
      THEN CAST(-1.852752723792e0 AS DOUBLE PRECISION)
      WHEN 15
      THEN CAST(-0.887484314224e0 AS DOUBLE PRECISION)
      WHEN 16
      THEN CAST(-5.31703763906e0 AS DOUBLE PRECISION)
      WHEN 17
      THEN CAST(-0.5349291158480001e0 AS DOUBLE PRECISION)
      ELSE CAST(0.0e0 AS DOUBLE PRECISION)
    END AS d3
  FROM step_10
  OFFSET 0
), step_12 AS (
  SELECT
    step_11.*,
    GREATEST(ABS(d0), ABS(d1), ABS(d2), ABS(d3)) AS m0
  FROM step_11
  OFFSET 0
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
  OFFSET 0
)
SELECT
  k0 AS "id",
  CASE WHEN s0 = best THEN FALSE ELSE TRUE END AS "predicted good",
  e0 / total AS "P(False)",
  e1 / total AS "P(True)",
  CASE
    WHEN m0 > 0
    THEN CASE r0
      WHEN 0
      THEN CASE (
          g0 * 2 + CASE WHEN d0 > 0 THEN own ELSE rival END
        )
        WHEN 2
        THEN 'alcohol in (-inf, 13.05] favors False'
        WHEN 3
        THEN 'alcohol in (-inf, 13.05] favors True'
        WHEN 4
        THEN 'alcohol in (13.05, inf) favors False'
        WHEN 5
        THEN 'alcohol in (13.05, inf) favors True'
        ELSE NULL
      END
      WHEN 1
      THEN CASE (
          g1 * 2 + CASE WHEN d1 > 0 THEN own ELSE rival END
        )
        WHEN 2
        THEN 'color in {white, it''s} favors False'
        WHEN 3
        THEN 'color in {white, it''s} favors True'
        WHEN 4
        THEN 'color in {red} favors False'
        WHEN 5
        THEN 'color in {red} favors True'
        ELSE NULL
      END
      WHEN 2
      THEN CASE (
          g2 * 2 + CASE WHEN d2 > 0 THEN own ELSE rival END
        )
        WHEN 2
        THEN 'organic in {True} favors False'
        WHEN 3
        THEN 'organic in {True} favors True'
        WHEN 4
        THEN 'organic in {False} favors False'
        WHEN 5
        THEN 'organic in {False} favors True'
        ELSE NULL
      END
      WHEN 3
      THEN CASE (
          (
            g3 * 3 + g4
          ) * 2 + CASE WHEN d3 > 0 THEN own ELSE rival END
        )
        WHEN 8
        THEN 'alcohol × sold: hour in (-inf, 13.05] × (-inf, 11.5] favors False'
        WHEN 9
        THEN 'alcohol × sold: hour in (-inf, 13.05] × (-inf, 11.5] favors True'
        WHEN 10
        THEN 'alcohol × sold: hour in (-inf, 13.05] × (11.5, inf) favors False'
        WHEN 11
        THEN 'alcohol × sold: hour in (-inf, 13.05] × (11.5, inf) favors True'
        WHEN 14
        THEN 'alcohol × sold: hour in (13.05, inf) × (-inf, 11.5] favors False'
        WHEN 15
        THEN 'alcohol × sold: hour in (13.05, inf) × (-inf, 11.5] favors True'
        WHEN 16
        THEN 'alcohol × sold: hour in (13.05, inf) × (11.5, inf) favors False'
        WHEN 17
        THEN 'alcohol × sold: hour in (13.05, inf) × (11.5, inf) favors True'
        ELSE NULL
      END
    END
  END AS "reason 1"
FROM step_13
