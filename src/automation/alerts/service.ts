/** Creates, changes and reads alert rules. The statechart decides the state of an alert. */
import {
  countAlertRules,
  deleteAlertRule,
  findAlertRule,
  listAlertRules,
  listAlertRulesOfEnvironment,
  listAlertRulesOfProject,
  listIncidents,
} from '../../../storage/automation/alerts.ts'
import { newId } from '../../../storage/ids.ts'
import { removeActor } from '../../../storage/runtime/deletion-step.ts'
import type { Store } from '../../../storage/store.ts'
import type { AlertIncidentRow, AlertRuleRow } from '../../../storage/tables.ts'
import { findPlaceOfEnvironment } from '../../../storage/tenancy/environments.ts'
import { findLiveProject } from '../../../storage/tenancy/projects.ts'
import { invalid, limitExceeded, notFound, permissionDenied } from '../../platform/http/answers/errors.ts'
import { noSuch, orNoSuch } from '../../platform/http/answers/references.ts'
import type { RequestRecord } from '../../platform/http/changes/request-record.ts'
import type { Cursors } from '../../platform/http/cursor.ts'
import { inScope, isBound, may, tooNarrow } from '../../platform/http/guard/authorization-scope.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import type { Permission } from '../../platform/http/guard/permissions.ts'
import { belowId, type PageRequest, readPage } from '../../platform/http/pagination.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { minuteMs } from '../../platform/time/durations.ts'
import type { Actors } from '../../runtime/actors.ts'
import { isConcurrentChange } from '../../runtime/refusals.ts'
import { type AlertSettingsRow, alertAddress, announce } from './actor.ts'
import type { Condition } from './condition.ts'
import { isInScope, reaches } from './reach.ts'
import {
  type AlertRule,
  type AlertRuleChanges,
  type AlertRuleNow,
  type AlertRulesQuery,
  type NewAlertRule,
  presentIncident,
  presentNow,
  presentRule,
} from './schema.ts'
import type { AlertWork } from './watch.ts'

export interface AlertParts {
  store: Store
  clock: Pick<Clock, 'now'>
  actors: Actors
  cursors: Cursors
  alertWork: AlertWork
}

/** The most rules of an organization. */
const rulesMax = 100
const defaults = { holdMinutes: 0, resolveAfterMinutes: 5, notify: { webhooks: true, mail: false } }

const read: Permission = 'alerts:list'
const write: Permission = 'alerts:manage'

export class Alerts {
  constructor(private readonly parts: AlertParts) {}

  /** Newest first, within the credential's scope. Throws `noSuch` for an Environment outside it, `invalid_cursor` (422). */
  async list(caller: Caller, { projectId, environmentId, ...request }: AlertRulesQuery) {
    const { store, cursors } = this.parts
    const { organizationId } = caller
    const place = await this.#requestedPlace(caller, { projectId, environmentId })
    const scope = { list: 'alert-rules', organizationId, filters: { projectId, environmentId } }
    return readPage(
      { cursors, scope },
      request,
      async (last, limit) => {
        const rows: AlertRuleRow[] = []
        // an organization has few rules: those outside the credential's scope are filtered here
        for (let before = belowId(last); rows.length < limit; ) {
          const some = { organizationId, before, limit: rulesMax }
          const found = await store.all<AlertRuleRow>(
            place?.environmentId !== undefined
              ? listAlertRulesOfEnvironment(store, { ...some, environmentId: place.environmentId })
              : place?.projectId !== undefined
                ? listAlertRulesOfProject(store, { ...some, projectId: place.projectId })
                : listAlertRules(store, some),
          )
          rows.push(...found.filter((row) => reaches(caller, row, read)))
          const least = found.at(-1)
          if (!least || found.length < rulesMax) break
          before = least.id
        }
        return rows.slice(0, limit)
      },
      ({ id }) => [id],
      presentRule,
    )
  }

  /** With the current measurement. Throws `notFound`. */
  async get(caller: Caller, id: string): Promise<AlertRuleNow> {
    const row = await this.find(caller, id)
    return presentNow(row, await this.parts.alertWork.measure(row))
  }

  /** The rule's row. Throws `notFound`, and `permission_denied` for a rule that the caller may read but not change. */
  async find(caller: Caller, id: string, permission: Permission = read): Promise<AlertRuleRow> {
    const { store } = this.parts
    const { organizationId } = caller
    const row = await store.first<AlertRuleRow>(findAlertRule(store, { id, organizationId }))
    if (!row || !isInScope(caller, row)) throw notFound()
    if (!may(caller, permission, row.project_id)) throw permissionDenied(permission)
    return row
  }

  /**
   * Evaluates the rule at once. Throws `noSuch`, `permission_denied`, 422 for a condition that does not apply to its
   * place, `limit_exceeded`.
   */
  async create(caller: Caller, body: NewAlertRule, record: RequestRecord): Promise<AlertRule> {
    const { store, clock, actors, alertWork } = this.parts
    const { organizationId, principal } = caller
    const environmentId = body.environmentId ?? null
    const place = await this.#placeOfNew(caller, environmentId)
    assertFits(body.condition, environmentId)
    const { holdMinutes, resolveAfterMinutes, notify } = { ...defaults, ...body }
    const id = newId('alr', clock.now())
    const seed = {
      id,
      organization_id: organizationId,
      ...place,
      ...columnsOf({ name: body.name, condition: body.condition, holdMinutes, resolveAfterMinutes, notify }),
      created_by_type: principal.type,
      created_by_id: principal.id,
      rulesMax,
    }
    const input = { holdMs: holdMinutes * minuteMs, coolDownMs: resolveAfterMinutes * minuteMs }
    try {
      const { actor } = await actors.create<AlertRuleRow>(
        alertAddress(id),
        { input, seed, named: 'create' },
        { by: principal, writes: ({ actor: { row } }) => record({ data: presentRule(row) }) },
      )
      await alertWork.look(id)
      return this.#shown(actor.row)
    } catch (error) {
      if (!isConcurrentChange(error)) throw error
      const counted = await store.first(countAlertRules(store, { organizationId }))
      if (Number(counted?.count ?? 0) < rulesMax) throw error
      throw limitExceeded(`An organization has at most ${rulesMax} alert rules; delete one first.`)
    }
  }

  /**
   * A change of the condition or of the times restarts the alert; a change of the name does not. Throws `notFound`,
   * `permission_denied`, 422.
   */
  async change(caller: Caller, id: string, changes: AlertRuleChanges, record: RequestRecord): Promise<AlertRule> {
    const { actors, alertWork } = this.parts
    const row = await this.find(caller, id, write)
    if (changes.condition) assertFits(changes.condition, row.environment_id)
    const { enabled, ...settings } = changes
    const known = presentRule(row)
    const { condition, holdMinutes, resolveAfterMinutes } = settings
    const isAnew = condition !== undefined || holdMinutes !== undefined || resolveAfterMinutes !== undefined
    // a concurrent change may have set the other one
    const times = {
      ...(holdMinutes !== undefined && { holdMs: holdMinutes * minuteMs }),
      ...(resolveAfterMinutes !== undefined && { coolDownMs: resolveAfterMinutes * minuteMs }),
    }
    const stored = { settings: columnsOf(settings) }
    const events = [
      ...(isAnew ? [{ type: 'change', ...times, ...stored }] : []),
      ...(!isAnew && Object.keys(settings).length > 0 ? [{ type: 'rename', ...stored }] : []),
      ...(enabled === undefined ? [] : [{ type: enabled ? 'enable' : 'disable' }]),
    ]
    // both events of the same turn become one unit of work
    const sent = events.map((event, index) =>
      actors.send<AlertRuleRow>(alertAddress(id), event, {
        by: caller.principal,
        ...(index === events.length - 1 && { writes: ({ actor }) => record({ data: { id: actor.row.id } }, known) }),
      }),
    )
    await Promise.all(sent)
    if (events.length === 0) await this.parts.store.commit(record({ data: { id } }, known))
    await alertWork.look(id)
    return this.#shown(await this.find(caller, id, write))
  }

  /** Resolves a firing alert first. Throws `notFound`, `permission_denied`. */
  async remove(caller: Caller, id: string, record: RequestRecord): Promise<AlertRule> {
    const { store, actors } = this.parts
    const row = await this.find(caller, id, write)
    const data = presentRule(row)
    await actors.send(
      alertAddress(id),
      { type: 'disable' },
      {
        by: caller.principal,
        writes: () => [
          ...removeActor(store, { kind: 'alert', id }),
          deleteAlertRule(store, { id }),
          ...record({ data }),
        ],
      },
    )
    actors.forget(alertAddress(id))
    return data
  }

  /** Sends a test notification to the rule's recipients. Throws `notFound`, `permission_denied`. */
  async test(caller: Caller, id: string, record: RequestRecord) {
    const { store, clock, alertWork } = this.parts
    const row = await this.find(caller, id, write)
    const { value } = await alertWork.measure(row)
    const at = clock.now()
    const about = {
      type: 'alert.firing' as const,
      value,
      firingSince: at,
      by: caller.principal,
      at,
      notices: alertWork.notices,
      test: true,
    }
    await store.commit([...announce(store, row, about), ...record({ data: { id } })])
    return { webhooks: row.tells_webhooks === 1, mail: row.tells_mail === 1 && alertWork.notices !== null }
  }

  /** Newest first; the last hundred are kept. Throws `notFound`, `invalid_cursor` (422). */
  async incidents(caller: Caller, id: string, request: PageRequest) {
    const { store, cursors } = this.parts
    await this.find(caller, id)
    return readPage(
      { cursors, scope: { list: 'alert-incidents', organizationId: caller.organizationId, filters: { id } } },
      request,
      (last, limit) =>
        store.all<AlertIncidentRow>(listIncidents(store, { alertRuleId: id, before: belowId(last), limit })),
      (incident) => [incident.id],
      presentIncident,
    )
  }

  /** The rule after an evaluation. */
  async #shown(row: AlertRuleRow): Promise<AlertRule> {
    const { store } = this.parts
    const key = { id: row.id, organizationId: row.organization_id }
    return presentRule((await store.first<AlertRuleRow>(findAlertRule(store, key))) ?? row)
  }

  async #placeOfNew(caller: Caller, environmentId: string | null) {
    if (environmentId === null) {
      if (isBound(caller)) throw tooNarrow(caller, write)
      if (!may(caller, write, null)) throw permissionDenied(write)
      return { project_id: null, environment_id: null }
    }
    const found = await this.#environment(caller, environmentId, '/body/environmentId')
    if (!may(caller, write, found.project_id)) throw permissionDenied(write)
    const { store } = this.parts
    const key = { id: found.project_id, organizationId: caller.organizationId }
    orNoSuch(await store.first(findLiveProject(store, key)), 'Environment', '/body/environmentId')
    return { project_id: found.project_id, environment_id: environmentId }
  }

  /** Throws `noSuch` for an Environment outside the credential's scope, as for a missing one; `at` is its place. */
  async #environment(caller: Caller, id: string, at: string) {
    const { store } = this.parts
    const { organizationId, scope } = caller
    const found = await store.first(findPlaceOfEnvironment(store, { organizationId, id }))
    // an alert does not distinguish Agents
    const isThere = found && inScope(caller, { projectId: found.project_id, environmentId: id, agentId: null })
    if (!isThere || scope.agentId !== null) throw noSuch('Environment', at)
    return found
  }

  async #requestedPlace(
    caller: Caller,
    requested: { projectId: string | undefined; environmentId: string | undefined },
  ) {
    const { environmentId, projectId } = requested
    if (environmentId === undefined) return projectId === undefined ? undefined : { projectId }
    const at = '/query/environmentId'
    const { project_id } = await this.#environment(caller, environmentId, at)
    if (projectId !== undefined && projectId !== project_id) throw noSuch('Environment in this Project', at)
    return { projectId: project_id, environmentId }
  }
}

function assertFits(condition: Condition, environmentId: string | null): void {
  if (condition.type !== 'budget' || environmentId === null) return
  const message = 'A budget is of the organization as a whole; leave environmentId out.'
  throw invalid([{ path: '/body/condition/type', message }])
}

const columnsOf = <Given extends Partial<Omit<NewAlertRule, 'environmentId'>>>(given: Given) =>
  ({
    ...(given.name !== undefined && { name: given.name }),
    ...(given.condition && { condition: JSON.stringify(given.condition) }),
    ...(given.holdMinutes !== undefined && { hold_ms: given.holdMinutes * minuteMs }),
    ...(given.resolveAfterMinutes !== undefined && { cool_down_ms: given.resolveAfterMinutes * minuteMs }),
    ...(given.notify && {
      tells_webhooks: given.notify.webhooks ? 1 : 0,
      tells_mail: given.notify.mail ? 1 : 0,
    }),
  }) as AlertSettingsRow
