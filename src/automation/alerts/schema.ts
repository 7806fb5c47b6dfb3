/** The shapes of alert rules. */
import { type Static, Type } from '@sinclair/typebox'
import { type AlertContext, alertStates } from '../../../machines/alert.ts'
import type { AlertIncidentRow, AlertRuleRow } from '../../../storage/tables.ts'
import { pageQuery } from '../../platform/http/pagination.ts'
import { Id, Name, nullable, oneOf, Timestamp } from '../../platform/http/schema.ts'
import { timestamp, timestampOrNull } from '../../platform/http/timestamp.ts'
import { minuteMs } from '../../platform/time/durations.ts'
import { Condition, conditionWords, thresholdOf } from './condition.ts'
import type { Measured } from './measure.ts'

export const AlertRulePath = Type.Object({ alertRuleId: Id('alr') })

const dayMinutes = 24 * 60
const HoldMinutes = Type.Integer({
  minimum: 0,
  maximum: dayMinutes,
  description: 'How long the condition must hold before the rule fires.',
})
const ResolveAfterMinutes = Type.Integer({
  minimum: 0,
  maximum: dayMinutes,
  description:
    'How long the condition must be over before the alert resolves; a recurrence within this time belongs to the same alert.',
})
const Notify = Type.Object(
  {
    webhooks: Type.Boolean({
      description: 'Record `alert.firing` and `alert.resolved`, for webhooks that subscribe to them.',
    }),
    mail: Type.Boolean({ description: 'Mail the owners and admins of the organization, where mail is set up.' }),
  },
  { additionalProperties: false, description: 'Its recipients.' },
)

export const AlertRulesQuery = Type.Object({
  ...pageQuery.properties,
  projectId: Type.Optional(Id('prj', 'Rules of Environments of this Project.')),
  environmentId: Type.Optional(Id('env', 'Rules of this Environment.')),
})
export type AlertRulesQuery = Static<typeof AlertRulesQuery>

export const NewAlertRule = Type.Object(
  {
    name: Name(),
    environmentId: Type.Optional(nullable(Id('env', 'The watched Environment; default: all of the organization.'))),
    condition: Condition,
    holdMinutes: Type.Optional(HoldMinutes),
    resolveAfterMinutes: Type.Optional(ResolveAfterMinutes),
    notify: Type.Optional(Notify),
  },
  { $id: 'NewAlertRule', additionalProperties: false, description: 'A new rule.' },
)
export type NewAlertRule = Static<typeof NewAlertRule>

export const AlertRuleChanges = Type.Object(
  {
    name: Type.Optional(Name()),
    condition: Type.Optional(Condition),
    holdMinutes: Type.Optional(HoldMinutes),
    resolveAfterMinutes: Type.Optional(ResolveAfterMinutes),
    notify: Type.Optional(Notify),
    enabled: Type.Optional(Type.Boolean({ description: 'A disabled rule is not evaluated and notifies nobody.' })),
  },
  { $id: 'AlertRuleChanges', additionalProperties: false, description: 'The fields to change.' },
)
export type AlertRuleChanges = Static<typeof AlertRuleChanges>

const Value = Type.Number({
  minimum: 0,
  description: 'The measurement: a count up to the threshold, or a percentage.',
})

const properties = {
  id: Id('alr'),
  name: Name(),
  projectId: nullable(Id('prj', 'null for a rule of the organization.')),
  environmentId: nullable(Id('env', 'null for a rule of the organization.')),
  condition: Condition,
  summary: Type.String({ description: 'The condition in words.' }),
  holdMinutes: HoldMinutes,
  resolveAfterMinutes: ResolveAfterMinutes,
  notify: Notify,
  enabled: Type.Boolean(),
  state: oneOf(alertStates, {
    description: 'The state of its statechart: `GET /api/v1/machines/alert`. Evaluated once a minute.',
  }),
  firingSince: nullable(Timestamp('When it started to fire; null while it is not firing.')),
  value: nullable(Value),
  threshold: Type.Number({ description: 'What has to be reached.' }),
  createdBy: Type.Object({ type: Type.String(), id: Type.String() }),
  createdAt: Timestamp(),
  updatedAt: Timestamp(),
}

export const AlertRule = Type.Object(properties, { $id: 'AlertRule', description: 'A rule that watches.' })
export type AlertRule = Static<typeof AlertRule>

export const AlertRuleNow = Type.Object(
  {
    ...properties,
    now: Type.Object(
      { value: Value, isBreached: Type.Boolean({ description: 'Whether the condition holds at this moment.' }) },
      { description: 'The current measurement of its condition.' },
    ),
  },
  { $id: 'AlertRuleNow', description: 'A rule, with the current measurement of its condition.' },
)
export type AlertRuleNow = Static<typeof AlertRuleNow>

export const AlertTest = Type.Object(
  {
    webhooks: Type.Boolean({ description: 'Whether a test event was recorded; webhooks that subscribe to it get it.' }),
    mail: Type.Boolean({ description: 'Whether a mail is on its way.' }),
  },
  { $id: 'AlertTest', description: 'The recipients of the test.' },
)

export const AlertIncident = Type.Object(
  {
    id: Id('ali'),
    firedAt: Timestamp(),
    value: Type.Number({ description: 'The measurement when it fired.' }),
    resolvedAt: nullable(Timestamp('null while it fires.')),
    resolution: nullable(
      oneOf(['cleared', 'changed', 'disabled'], {
        description: 'The reason for its end: the condition was over, or the rule was changed or disabled.',
      }),
    ),
  },
  { $id: 'AlertIncident', description: 'A time in which the rule has fired.' },
)

export const presentRule = (row: AlertRuleRow): AlertRule => {
  const condition = JSON.parse(row.condition) as Condition
  const { firingSince, value } = JSON.parse(row.context) as AlertContext
  return {
    id: row.id,
    name: row.name,
    projectId: row.project_id,
    environmentId: row.environment_id,
    condition,
    summary: conditionWords(condition),
    holdMinutes: Number(row.hold_ms) / minuteMs,
    resolveAfterMinutes: Number(row.cool_down_ms) / minuteMs,
    notify: { webhooks: row.tells_webhooks === 1, mail: row.tells_mail === 1 },
    enabled: row.state !== 'disabled',
    state: row.state as AlertRule['state'],
    firingSince: timestampOrNull(firingSince),
    value,
    threshold: thresholdOf(condition),
    createdBy: { type: row.created_by_type, id: row.created_by_id },
    createdAt: timestamp(row.created_at),
    updatedAt: timestamp(row.updated_at),
  }
}

export const presentNow = (row: AlertRuleRow, now: Measured): AlertRuleNow => ({ ...presentRule(row), now })

export const presentIncident = (row: AlertIncidentRow) => ({
  id: row.id,
  firedAt: timestamp(row.fired_at),
  value: Number(row.value),
  resolvedAt: timestampOrNull(row.resolved_at),
  resolution: row.resolution,
})
