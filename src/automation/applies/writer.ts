/**
 * Writes the changes of a plan through the services of each area, on behalf of the caller of the Apply. Every change
 * has its own audit line, and is stored only while the Apply is in the state that it belongs to; created resources are
 * marked as made by an Apply in the same unit of work. Source: contract 10.
 */
import { findAgent, listAgents } from '../../../storage/authoring/agents.ts'
import { assertApplyIn, insertAppliedResource, removeAppliedResource } from '../../../storage/automation/applies.ts'
import type { Write } from '../../../storage/store.ts'
import type { AgentRow, ApplyRow, EnvironmentRow } from '../../../storage/tables.ts'
import { findEnvironment } from '../../../storage/tenancy/environments.ts'
import { deleteAgent } from '../../authoring/agents/deletion.ts'
import type { RevisionRequest } from '../../authoring/agents/revision-request.ts'
import type { AgentChanges, NewAgent } from '../../authoring/agents/schema.ts'
import type { NewDefinition } from '../../authoring/definitions/schema.ts'
import type { DefinitionSource } from '../../authoring/definitions/source.ts'
import type { ConnectionChanges, NewConnection } from '../../delivery/connections/schema.ts'
import type { ProviderSettingFields } from '../../delivery/provider-settings/schema.ts'
import type { NewVariable, VariableChanges } from '../../delivery/variables/schema.ts'
import type { NewWebhook, WebhookChanges } from '../../events/webhooks/schema.ts'
import { ApiError, orNotFound } from '../../platform/http/answers/errors.ts'
import type { RequestId } from '../../platform/http/answers/request-id.ts'
import { changedFields } from '../../platform/http/changes/changed-fields.ts'
import type { RequestRecord } from '../../platform/http/changes/request-record.ts'
import { type Caller, unbound } from '../../platform/http/guard/caller.ts'
import { permissions } from '../../platform/http/guard/permissions.ts'
import type { JobChanges, NewJob } from '../agent-jobs/schema.ts'
import type { ApplyServices } from './services.ts'

/** The caller of the Apply, whose permissions were checked with the request. */
const callerOf = (row: Pick<ApplyRow, 'organization_id' | 'created_by_type' | 'created_by_id'>): Caller => ({
  principal: { type: row.created_by_type, id: row.created_by_id },
  credentialId: '',
  userId: row.created_by_type === 'user' ? row.created_by_id : '',
  organizationId: row.organization_id,
  organization: { slug: '', status: 'active' },
  scope: unbound,
  csrfToken: null,
  role: 'owner',
  permissions: new Set(permissions),
  granted: new Map(),
})

/** The binding of a Connection, by the slug of the Agent. */
interface Binding {
  agent: string | null
  bindingKey: string | null
}

export class Writer {
  readonly caller: Caller
  readonly path: { projectId: string; environmentId: string }

  constructor(
    private readonly services: ApplyServices,
    private readonly row: ApplyRow,
    private readonly request: RequestId,
  ) {
    this.caller = callerOf(row)
    this.path = { projectId: row.project_id, environmentId: row.environment_id }
  }

  /** The statements that commit with a change. `body` is the request of the change. */
  record(operation: string, type: string, body: object): RequestRecord {
    return (answer, before) => this.#lines(operation, type, body, answer, before)
  }

  renameProject(name: string) {
    const body = { name }
    return this.services.projects.change(
      this.caller,
      this.row.project_id,
      body,
      this.record('updateProject', 'project', body),
    )
  }

  /** Idempotent: an open Environment has no transition to open it again. */
  async openEnvironment() {
    const body = { lifecycle: 'active', expectedLifecycle: 'provisioning' } as const
    const record = this.record('updateEnvironment', 'environment', body)
    await this.services.environments.change(this.caller, this.path, body, record)
  }

  async createDefinition(body: NewDefinition, source: DefinitionSource) {
    const { projectId } = this.path
    const record = this.#creating('createDefinition', 'definition', body)
    const { id } = await this.services.definitions.create(this.caller, projectId, body, record)
    await this.reviseDefinition({ id, source })
  }

  async reviseDefinition({ id, source, description }: { id: string; source?: DefinitionSource; description?: string }) {
    const { definitions, definitionRevisions } = this.services
    const place = { projectId: this.path.projectId, definitionId: id }
    if (description !== undefined) {
      const body = { description }
      await definitions.update(this.caller, place, body, this.record('updateDefinition', 'definition', body))
    }
    if (source === undefined) return
    const record = this.record('createDefinitionRevision', 'definitionRevision', { source })
    await definitionRevisions.publish(this.caller, place, { source }, record)
  }

  async createAgent(body: NewAgent, revision: RevisionRequest) {
    const record = this.#creating('createAgent', 'agent', body)
    const { id } = await this.services.agents.create(this.caller, this.path.projectId, body, record)
    await this.reviseAgent({ id, revision })
  }

  async reviseAgent({ id, changes, revision }: { id: string; changes?: AgentChanges; revision?: RevisionRequest }) {
    const { agents, agentRevisions } = this.services
    const place = { projectId: this.path.projectId, agentId: id }
    if (changes) await agents.update(this.caller, place, changes, this.record('updateAgent', 'agent', changes))
    if (!revision) return
    const record = this.record('createAgentRevision', 'agentRevision', revision)
    await agentRevisions.publish(this.caller, place, revision, record)
  }

  createVariable(body: NewVariable) {
    return this.services.variables.create(
      this.caller,
      this.path,
      body,
      this.#creating('createVariable', 'variable', body),
    )
  }

  changeVariable(variableId: string, body: VariableChanges) {
    const place = { ...this.path, variableId }
    return this.services.variables.change(this.caller, place, body, this.record('updateVariable', 'variable', body))
  }

  async createConnection(given: NewConnection, binding: Binding) {
    const body = { ...given, ...(await this.#bound(binding)) }
    const record = this.#creating('createConnection', 'connection', body)
    return this.services.connections.create(this.caller, this.path, body, record)
  }

  async changeConnection(connectionId: string, changes: ConnectionChanges, binding: Binding | undefined) {
    const body = { ...changes, ...(binding && (await this.#bound(binding))) }
    const place = { ...this.path, connectionId }
    return this.services.connections.change(
      this.caller,
      place,
      body,
      this.record('updateConnection', 'connection', body),
    )
  }

  async createModel(slug: string, body: ProviderSettingFields) {
    const place = { ...this.path, agentId: await this.#agentId(slug) }
    const record = this.record('createProviderSetting', 'providerSetting', body)
    return this.services.providerSettings.create(this.caller, place, body, record)
  }

  async changeModel(slug: string, settingId: number, body: ProviderSettingFields) {
    const place = { ...this.path, agentId: await this.#agentId(slug), settingId }
    const record = this.record('updateProviderSetting', 'providerSetting', body)
    return this.services.providerSettings.change(this.caller, place, body, record)
  }

  async createJob(slug: string, given: Omit<NewJob, 'agentId'>) {
    const body = { ...given, agentId: await this.#agentId(slug) }
    const record = this.record('createAgentJob', 'agentJob', body)
    return this.services.jobs.create(this.caller, this.path, body, record, { paramsLater: true })
  }

  changeJob(jobId: string, body: JobChanges) {
    const place = { ...this.path, jobId }
    const record = this.record('updateAgentJob', 'agentJob', body)
    return this.services.jobs.change(this.caller, place, body, record, { paramsLater: true })
  }

  createWebhook(body: NewWebhook) {
    return this.services.webhooks.create(this.caller, this.path, body, this.record('createWebhook', 'webhook', body))
  }

  changeWebhook(webhookId: string, body: WebhookChanges) {
    const place = { ...this.path, webhookId }
    return this.services.webhooks.change(this.caller, place, body, this.record('updateWebhook', 'webhook', body))
  }

  async removeAgent(agentId: string) {
    const { services, caller } = this
    const { projectId } = this.path
    const key = { organizationId: caller.organizationId, projectId, id: agentId }
    const found = await services.store.first<AgentRow>(findAgent(services.store, key))
    // an earlier attempt has created it
    if (found?.status !== 'active') return
    await deleteAgent(services, caller, { projectId, agentId }, this.#removing('deleteAgent', 'agent', agentId))
  }

  removeDefinition(definitionId: string) {
    const place = { projectId: this.path.projectId, definitionId }
    const record = this.#removing('deleteDefinition', 'definition', definitionId)
    return unlessGone(() => this.services.definitions.delete(this.caller, place, record))
  }

  removeVariable(variableId: string) {
    const place = { ...this.path, variableId }
    const record = this.#removing('deleteVariable', 'variable', variableId)
    return unlessGone(() => this.services.variables.remove(this.caller, place, record))
  }

  /**
   * A Connection in a Configuration Revision, which is nearly every one, is disabled instead of deleted, and its binding
   * is free for another. The revisions keep theirs.
   */
  removeConnection(connectionId: string) {
    const place = { ...this.path, connectionId }
    return unlessGone(() =>
      this.services.connections
        .remove(this.caller, place, this.#removing('deleteConnection', 'connection', connectionId))
        .catch(async (error: unknown) => {
          if (!(error instanceof ApiError) || error.code !== 'connection_retained') throw error
          await this.changeConnection(connectionId, { status: 'disabled' }, { agent: null, bindingKey: null })
        }),
    )
  }

  environment(): Promise<EnvironmentRow> {
    const { store } = this.services
    const { projectId, environmentId: id } = this.path
    const { organizationId } = this.caller
    return store.first<EnvironmentRow>(findEnvironment(store, { organizationId, projectId, id })).then(orNotFound)
  }

  async #agentId(slug: string): Promise<string> {
    const { store } = this.services
    const place = { organizationId: this.caller.organizationId, projectId: this.path.projectId }
    const found = await store.first<AgentRow>(listAgents(store, { ...place, named: slug, before: '~', limit: 1 }))
    return orNotFound(found).id
  }

  async #bound({ agent, bindingKey }: Binding) {
    return { agentId: agent === null ? null : await this.#agentId(agent), bindingKey }
  }

  #creating(operation: string, type: string, body: object): RequestRecord {
    const { store } = this.services
    return (answer) => [
      ...this.#lines(operation, type, body, answer),
      insertAppliedResource(store, { resource_id: idIn(answer), project_id: this.row.project_id }),
    ]
  }

  #removing(operation: string, type: string, id: string): RequestRecord {
    const { store } = this.services
    return () => [
      ...this.#lines(operation, type, {}, { data: { id } }),
      removeAppliedResource(store, { resourceId: id }),
    ]
  }

  /** The audit line, and the condition that the Apply is still in the state of its row. */
  #lines(operation: string, type: string, body: object, answer: unknown, before?: object) {
    const { services, row } = this
    return [
      services.audit.write({
        organizationId: row.organization_id,
        actor: this.caller.principal,
        ip: null,
        operation,
        resource: { type, id: idIn(answer) },
        outcome: 'allowed',
        ...this.request,
        changed: changedFields(body, answer, before),
      }),
      assertApplyIn(services.store, { id: row.id, state: row.state }),
    ]
  }
}

const idIn = (answer: unknown) => (answer as { data: { id: string } }).data.id

/** Ignores resources that no longer exist. */
async function unlessGone(remove: () => Promise<unknown>): Promise<void> {
  try {
    await remove()
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'not_found') throw error
  }
}

/** A record that also notes the created resource. */
export const noting =
  (record: RequestRecord, note: (made: string) => Write): RequestRecord =>
  (answer, before) => [...record(answer, before), note(idIn(answer))]
