/**
 * The alert as a kind of actor: its row, its incidents and its notifications, all in the unit of work of its
 * transition.
 */
import { type AlertContext, type AlertEvent, alertMachine } from '../../../machines/alert.ts'
import {
  findPlaceOfAlertRule,
  getAlertRule,
  insertAlertRule,
  insertIncident,
  pruneIncidents,
  resolveIncidents,
  updateAlertRule,
} from '../../../storage/automation/alerts.ts'
import { newId } from '../../../storage/ids.ts'
import type { Store, Write } from '../../../storage/store.ts'
import type { AlertRuleRow } from '../../../storage/tables.ts'
import { broadcast, notifyBroadcast } from '../../events/history/broadcasts.ts'
import { recordEvent } from '../../events/history/record.ts'
import { timestamp, timestampOrNull } from '../../platform/http/timestamp.ts'
import type { Notices } from '../../platform/mail/notices.ts'
import { defineActor } from '../../runtime/define-actor.ts'
import type { Address, Change, Move } from '../../runtime/kind.ts'
import { type Condition, conditionWords, thresholdOf } from './condition.ts'

/** The columns of a rule that clients set. */
export type AlertSettingsRow = Pick<
  AlertRuleRow,
  'name' | 'condition' | 'hold_ms' | 'cool_down_ms' | 'tells_webhooks' | 'tells_mail'
>
/** The columns of a new rule besides its snapshot. */
type AlertSeed = AlertSettingsRow &
  Pick<
    AlertRuleRow,
    'id' | 'organization_id' | 'project_id' | 'environment_id' | 'created_by_type' | 'created_by_id'
  > & {
    /** The most rules of an organization. */
    rulesMax: number
  }
/** An event, with the columns that it changes. */
type AlertCommand = AlertEvent & { settings?: Partial<AlertSettingsRow> }

type AlertMove = Move<AlertCommand, AlertContext>

export const alertAddress = (id: string): Address => ({ kind: 'alert', id })

interface AlertKindParts {
  /** null: no mail server is configured. */
  notices: Pick<Notices, 'ofAlert'> | null
}

export const alertKind = ({ notices }: AlertKindParts) =>
  defineActor<AlertRuleRow, AlertContext, AlertCommand, AlertSeed>({
    machine: alertMachine,
    table: {
      get: getAlertRule,
      // the bound is not a column of a new row
      insert: (store, row) => insertAlertRule(store, row as AlertRuleRow & { rulesMax: number }),
      update: updateAlertRule,
    },
    forgetsMoves: true,
    columns: (_, { moves }) => Object.assign({}, ...moves.map(({ event }) => event.settings ?? {})),
    seeded: (seed) => seed,
    moved: (row, { moves }, store, before) =>
      moves.flatMap((move) => tellings(store, { rule: before.row, row, move, was: before.context, notices })),
    effects: { tellFiring: 'inCommit', tellResolved: 'inCommit' },
    view: {
      permission: 'alerts:list',
      place: findPlaceOfAlertRule,
      show: ({ heldSince, overSince, firingSince, ...context }) => ({
        ...context,
        heldSince: timestampOrNull(heldSince),
        overSince: timestampOrNull(overSince),
        firingSince: timestampOrNull(firingSince),
      }),
    },
  })

type AlertChange = Change<AlertRuleRow, AlertContext, AlertCommand>

interface Telling extends AlertKindParts {
  /** The columns of a rule as of its firing. */
  rule: AlertRuleRow
  row: AlertRuleRow
  move: AlertChange['moves'][number]
  was: AlertContext
}

const isFiring = (state: string | null) => state === 'firing' || state === 'cooling'

/** The statements that record the start and the end of an incident. */
function tellings(store: Store, { rule, move, was, notices }: Telling): Write[] {
  const { from, to, event, context } = move
  if (isFiring(from) === isFiring(to)) return []
  const { at } = event
  if (isFiring(to)) {
    const { value } = context
    const incident = { id: newId('ali', at), alert_rule_id: rule.id, fired_at: at, value: value ?? 0 }
    return [
      insertIncident(store, { ...incident, resolved_at: null, resolution: null }),
      pruneIncidents(store, { alertRuleId: rule.id }),
      ...announcementOf(store, rule, move, { type: 'alert.firing', value: value ?? 0, firingSince: at, notices }),
    ]
  }
  const resolution = resolutionOf(event)
  const value = 'value' in event ? event.value : (was.value ?? 0)
  return [
    resolveIncidents(store, { alertRuleId: rule.id, at, resolution }),
    ...announcementOf(store, rule, move, {
      type: 'alert.resolved',
      value,
      firingSince: was.firingSince ?? at,
      resolution,
      notices,
    }),
  ]
}

type Resolution = 'cleared' | 'changed' | 'disabled'
const resolutionOf = ({ type }: AlertCommand): Resolution =>
  type === 'change' ? 'changed' : type === 'disable' ? 'disabled' : 'cleared'

interface Announced extends AlertKindParts {
  type: 'alert.firing' | 'alert.resolved'
  value: number
  firingSince: number
  resolution?: Resolution
}

function announcementOf(store: Store, rule: AlertRuleRow, { event, by }: AlertMove, given: Announced): Write[] {
  return announce(store, rule, { ...given, by, at: event.at, test: false })
}

/** The event and the mail of a notification, as the rule's `notify` selects. Those of a test are marked as a test. */
export function announce(
  store: Store,
  rule: AlertRuleRow,
  {
    type,
    value,
    firingSince,
    resolution,
    notices,
    by,
    at,
    test,
  }: Announced & Pick<AlertMove, 'by'> & { at: number; test: boolean },
): Write[] {
  const condition = JSON.parse(rule.condition) as Condition
  const data = {
    alertRuleId: rule.id,
    name: rule.name,
    condition,
    summary: conditionWords(condition),
    value,
    threshold: thresholdOf(condition),
    firingSince: timestamp(firingSince),
    resolution: resolution ?? null,
    test,
  }
  const event = { type, subject: { type: 'alertRule' as const, id: rule.id }, actor: by, data, at }
  return [
    ...(rule.tells_webhooks === 1 ? recorded(store, rule, event) : []),
    ...(rule.tells_mail === 1
      ? (notices?.ofAlert({ kind: type, organizationId: rule.organization_id, alertRuleId: rule.id, data, at }) ?? [])
      : []),
  ]
}

/**
 * Records the event in the history of the rule's Environment; for a rule of the organization, in each Environment with
 * a webhook that subscribes to it.
 */
function recorded(store: Store, rule: AlertRuleRow, event: Parameters<typeof broadcast>[1]): Write[] {
  const { organization_id: organizationId, project_id: projectId, environment_id: environmentId } = rule
  if (projectId !== null && environmentId !== null) {
    return recordEvent(store, { ...event, organizationId, projectId, environmentId })
  }
  return [{ ...broadcast(store, event, organizationId), committed: () => notifyBroadcast(store) }]
}
