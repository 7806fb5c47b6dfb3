/** Conditions of alert rules. */
import { type Static, Type } from '@sinclair/typebox'

/** The largest count, which bounds the cost of an evaluation. */
const countMax = 1_000
const minutesMax = 7 * 24 * 60

const count = Type.Integer({
  minimum: 1,
  maximum: countMax,
  description: 'The threshold: the alert fires from this number on.',
})
const within = Type.Integer({
  minimum: 1,
  maximum: minutesMax,
  description: 'The time window up to now, in minutes.',
})
const longer = Type.Integer({ minimum: 1, maximum: minutesMax, description: 'The minimum duration, in minutes.' })

export const Condition = Type.Union(
  [
    Type.Object(
      { type: Type.Literal('failing'), count, withinMinutes: within },
      { description: 'This many runs have failed or expired within the window.' },
    ),
    Type.Object(
      { type: Type.Literal('stuck'), count, forMinutes: longer },
      { description: 'This many runs have been queued or running for a long time without a change of state.' },
    ),
    Type.Object(
      { type: Type.Literal('waiting'), count, forMinutes: longer },
      { description: 'This many runs and approvals have been waiting for a person for at least this long.' },
    ),
    Type.Object(
      { type: Type.Literal('undelivered'), count, withinMinutes: within },
      { description: 'This many deliveries of webhooks have become dead letters within the window.' },
    ),
    Type.Object(
      {
        type: Type.Literal('budget'),
        percent: Type.Integer({ minimum: 1, maximum: 100, description: 'The threshold, in percent of the minutes.' }),
      },
      {
        description:
          'This share of the minutes of the billing period is used; only for rules of the whole organization.',
      },
    ),
  ],
  { $id: 'AlertCondition', description: 'What the rule watches for.' },
)
export type Condition = Static<typeof Condition>

const counted = (count: number, one: string, many: string) => `${count} ${count === 1 ? one : many}`

/** Multiples of 60 are written in hours. */
const minutes = (count: number) =>
  count % 60 === 0 ? counted(count / 60, 'hour', 'hours') : counted(count, 'minute', 'minutes')

/** The condition in words: `5 runs or more failed within 15 minutes`. */
export function conditionWords(condition: Condition): string {
  switch (condition.type) {
    case 'failing':
      return `${counted(condition.count, 'run', 'runs')} or more failed within ${minutes(condition.withinMinutes)}`
    case 'stuck':
      return `${counted(condition.count, 'run', 'runs')} or more stuck for ${minutes(condition.forMinutes)}`
    case 'waiting':
      return `${counted(condition.count, 'run or approval', 'runs or approvals')} or more waiting for ${minutes(condition.forMinutes)}`
    case 'undelivered':
      return `${counted(condition.count, 'dead letter', 'dead letters')} or more within ${minutes(condition.withinMinutes)}`
    default:
      return `${condition.percent} % or more of the minutes used`
  }
}

/** The value from which the condition holds. */
export const thresholdOf = (condition: Condition): number =>
  condition.type === 'budget' ? condition.percent : condition.count
