WITH step_1 AS (
  SELECT
    input."id" AS k0,
    NULLIF(CAST(input."alcohol" AS DOUBLE), CAST('NaN' AS DOUBLE)) AS c0,
    CAST(input."color" AS TEXT) AS c1,
    input."organic" AS c2,
    HOUR(MAKE_TIMESTAMP(CAST(EPOCH_US(input."sold") AS BIGINT))) AS c3
  FROM "wines" AS input
), step_2 AS (
  SELECT
    step_1.*,
    CASE WHEN c0 IS NULL THEN 1 WHEN c0 <= 13.05e0 THEN 1 ELSE 2 END AS g0,
    (
      [0, 1, 1, 2]
    )[COALESCE(LIST_POSITION(['white', 'it''s', 'red'], c1), 0) + 1] AS g1,
    CASE WHEN c2 = TRUE THEN 1 WHEN c2 = FALSE THEN 2 ELSE 0 END AS g2,
    CASE WHEN c0 IS NULL THEN 1 WHEN c0 <= 13.05e0 THEN 1 ELSE 2 END AS g3,
    CASE WHEN c3 IS NULL THEN 1 WHEN c3 <= 11.5e0 THEN 1 ELSE 2 END AS g4
  FROM step_1
), step_3 AS (
  SELECT
    step_2.*,
    -0.557743e0 + (
      [0.0e0, -0.016496031520000003e0, -0.25961898913e0]
    )[g0 + 1] + (
      [0.0e0, -0.270657e0, -1.439179e0]
    )[g1 + 1] + (
      [0.0e0, -0.954888e0, -0.485898e0]
    )[g2 + 1] + (
      [
        0.0e0,
        0.0e0,
        0.0e0,
        0.0e0,
        -0.686486547508e0,
        -0.7830034656679999e0,
        0.0e0,
        -1.852752723792e0,
        -5.31703763906e0
      ]
    )[(
      g3 * 3 + g4
    ) + 1] AS s0,
    -0.849801e0 + (
      [0.0e0, -0.30830692163e0, -0.010911821212e0]
    )[g0 + 1] + (
      [0.0e0, -0.57786e0, -0.823479e0]
    )[g1 + 1] + (
      [0.0e0, -0.40671e0, -1.096128e0]
    )[g2 + 1] + (
      [
        0.0e0,
        0.0e0,
        0.0e0,
        0.0e0,
        -5.31703763906e0,
        -2.1993861387919997e0,
        0.0e0,
        -0.887484314224e0,
        -0.5349291158480001e0
      ]
    )[(
      g3 * 3 + g4
    ) + 1] AS s1
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
    (
      [
        0.0e0,
        0.0e0,
        -0.016496031520000003e0,
        -0.30830692163e0,
        -0.25961898913e0,
        -0.010911821212e0
      ]
    )[(
      g0 * 2 + own
    ) + 1] - (
      [
        0.0e0,
        0.0e0,
        -0.016496031520000003e0,
        -0.30830692163e0,
        -0.25961898913e0,
        -0.010911821212e0
      ]
    )[(
      g0 * 2 + rival
    ) + 1] AS d0,
    (
      [0.0e0, 0.0e0, -0.270657e0, -0.57786e0, -1.439179e0, -0.823479e0]
    )[(
      g1 * 2 + own
    ) + 1] - (
      [0.0e0, 0.0e0, -0.270657e0, -0.57786e0, -1.439179e0, -0.823479e0]
    )[(
      g1 * 2 + rival
    ) + 1] AS d1,
    (
      [0.0e0, 0.0e0, -0.954888e0, -0.40671e0, -0.485898e0, -1.096128e0]
    )[(
      g2 * 2 + own
    ) + 1] - (
      [0.0e0, 0.0e0, -0.954888e0, -0.40671e0, -0.485898e0, -1.096128e0]
    )[(
      g2 * 2 + rival
    ) + 1] AS d2,
    (
      [
        0.0e0,
        0.0e0,
        0.0e0,
        0.0e0,
        0.0e0,
        0.0e0,
        0.0e0,
        0.0e0,
        -0.686486547508e0,
        -5.31703763906e0,
        -0.7830034656679999e0,
        -2.1993861387919997e0,
        0.0e0,
        0.0e0,
        -1.852752723792e0,
        -0.887484314224e0,
        -5.31703763906e0,
        -0.5349291158480001e0
      ]
    )[(
      (
        g3 * 3 + g4
      ) * 2 + own
    ) + 1] - (
      [
        0.0e0,
        0.0e0,
        0.0e0,
        0.0e0,
        0.0e0,
        0.0e0,
        0.0e0,
        0.0e0,
        -0.686486547508e0,
        -5.31703763906e0,
        -0.7830034656679999e0,
        -2.1993861387919997e0,
        0.0e0,
        0.0e0,
        -1.852752723792e0,
        -0.887484314224e0,
        -5.31703763906e0,
        -0.5349291158480001e0
      ]
    )[(
      (
        g3 * 3 + g4
      ) * 2 + rival
    ) + 1] AS d3
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
  k0 AS "id",
  CASE WHEN s0 = best THEN FALSE ELSE TRUE END AS "predicted good",
  e0 / total AS "P(False)",
  e1 / total AS "P(True)",
  CASE
    WHEN m0 > 0
    THEN CASE r0
      WHEN 0
      THEN (
        [
          NULL,
          NULL,
          'alcohol in (-inf, 13.05] favors False',
          'alcohol in (-inf, 13.05] favors True',
          'alcohol in (13.05, inf) favors False',
          'alcohol in (13.05, inf) favors True'
        ]
      )[(
        g0 * 2 + CASE WHEN d0 > 0 THEN own ELSE rival END
      ) + 1]
      WHEN 1
      THEN (
        [
          NULL,
          NULL,
          'color in {white, it''s} favors False',
          'color in {white, it''s} favors True',
          'color in {red} favors False',
          'color in {red} favors True'
        ]
      )[(
        g1 * 2 + CASE WHEN d1 > 0 THEN own ELSE rival END
      ) + 1]
      WHEN 2
      THEN (
        [
          NULL,
          NULL,
          'organic in {True} favors False',
          'organic in {True} favors True',
          'organic in {False} favors False',
          'organic in {False} favors True'
        ]
      )[(
        g2 * 2 + CASE WHEN d2 > 0 THEN own ELSE rival END
      ) + 1]
      WHEN 3
      THEN (
        [
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
        ]
      )[(
        (
          g3 * 3 + g4
        ) * 2 + CASE WHEN d3 > 0 THEN own ELSE rival END
      ) + 1]
    END
  END AS "reason 1"
FROM step_13
