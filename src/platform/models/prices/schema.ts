/** Costs and limits of runs, as the API has them. Source: contract 13, "Cost". */
import { type Static, Type } from '@sinclair/typebox'
import { decimalPattern } from '../../../../machines/decimal.ts'

const currency = Type.String({
  pattern: '^[A-Z]{3}$',
  description: 'ISO 4217, as the prices of the server have it.',
  fault: 'Must be a currency of three capital letters, such as USD.',
  examples: ['USD'],
})

export const Cost = Type.Object(
  {
    amount: Type.String({
      pattern: decimalPattern,
      description: 'An exact decimal number.',
      fault: 'Must be a decimal number as text, such as "0.25", of at most 15 digits before the point and 24 after it.',
      examples: ['0.0042'],
    }),
    currency,
  },
  { $id: 'Cost', additionalProperties: false, description: 'An exact amount of money.' },
)
export type Cost = Static<typeof Cost>

/** The limits of a run. */
export const RunLimits = Type.Object(
  {
    maxTokens: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'Input and output tokens of its model steps.',
      }),
    ),
    maxCost: Type.Optional(Cost),
  },
  {
    $id: 'RunLimits',
    additionalProperties: false,
    description:
      'The limits of a run over all attempts, delegates and continuations. Once one is reached, no model step starts: the ' +
      'run fails with `budget_exhausted`.',
  },
)
export type RunLimits = Static<typeof RunLimits>
