/** The provider settings of Agents in an Environment. Source: requirement 4.10; contract 4. */
import { Counter } from '../../../storage/counters.ts'
import {
  deleteProviderSetting,
  findProviderSetting,
  insertProviderSetting,
  listProviderSettings,
  type ProviderSettingPlace,
  updateProviderSetting,
} from '../../../storage/delivery/provider-settings.ts'
import type { Store } from '../../../storage/store.ts'
import type { ProviderSettingRow } from '../../../storage/tables.ts'
import { ApiError, invalid, notFound, orNotFound } from '../../platform/http/answers/errors.ts'
import { commitOr } from '../../platform/http/changes/commit.ts'
import type { RequestRecord } from '../../platform/http/changes/request-record.ts'
import { retryOnConflict } from '../../platform/http/changes/retry-on-conflict.ts'
import type { Cursors } from '../../platform/http/cursor.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import { belowNumber, type PageRequest, readPage } from '../../platform/http/pagination.ts'
import { timestamp } from '../../platform/http/timestamp.ts'
import type { Vendor } from '../../platform/models/vendors.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { providerReferredTo, referenceIssues } from '../connections/credential-reference.ts'
import { credentialFault, settingIssues } from './rules.ts'
import type { ProviderSetting, ProviderSettingFields } from './schema.ts'

export interface ProviderSettingParts {
  store: Store
  clock: Pick<Clock, 'now'>
  cursors: Cursors
  /** For vendors with an overridden address the model names are not known. */
  baseUrls: Partial<Record<Vendor, string>>
}

type Place = Omit<ProviderSettingPlace, 'organizationId'>
type SettingPlace = Place & { settingId: number }

/** The fields on which a credential reference depends. */
const referring = ['provider', 'providerCredentialId', 'providerCredentialVersion'] as const

export class ProviderSettings {
  readonly #ids: Counter

  constructor(private readonly parts: ProviderSettingParts) {
    this.#ids = new Counter(parts.store, 'provider-settings')
  }

  /** At most one. Throws `invalid_cursor` (422). */
  list(caller: Caller, place: Place, request: PageRequest) {
    const { store, cursors } = this.parts
    const { environmentId, agentId } = place
    const at = within(caller, place)
    const { organizationId } = at
    const scope = { list: 'provider-settings', organizationId, filters: { environmentId, agentId } }
    return readPage(
      { cursors, scope },
      request,
      (after, limit) => {
        const before = belowNumber(after)
        return store.all<ProviderSettingRow>(listProviderSettings(store, { ...at, before, limit }))
      },
      ({ setting_id }) => [setting_id],
      presentSetting,
    )
  }

  /** Throws `notFound`. */
  async get(caller: Caller, place: SettingPlace): Promise<ProviderSetting> {
    return presentSetting(await this.#find(caller, place))
  }

  /**
   * Creates the Agent's setting in the Environment. Throws `validation_failed` (422), `notFound` for a missing credential,
   * `setting_exists` (409).
   */
  async create(
    caller: Caller,
    place: Place,
    body: ProviderSettingFields,
    record: RequestRecord,
  ): Promise<ProviderSetting> {
    const { store, clock } = this.parts
    const { organizationId, projectId, environmentId, agentId } = within(caller, place)
    const now = clock.now()
    const row: ProviderSettingRow = {
      setting_id: 0,
      organization_id: organizationId,
      environment_id: environmentId,
      agent_id: agentId,
      provider: null,
      model: null,
      settings: '{}',
      provider_credential_id: null,
      provider_credential_version: null,
      created_at: now,
      updated_at: now,
    }
    const wanted = changed(row, body)
    await this.#validate(wanted, true)
    wanted.setting_id = await this.#ids.take()
    const data = presentSetting(wanted)
    // the Agent or the credential was deleted since it was read
    await commitOr(store, { unique: { 'provider_settings.agent_id': exists }, stale: notFound }, [
      insertProviderSetting(store, { ...wanted, projectId }),
      ...kept(record, data),
    ])
    return data
  }

  /** Changes the given fields, if the result is valid. Throws as `create` does. */
  change(
    caller: Caller,
    place: SettingPlace,
    changes: ProviderSettingFields,
    record: RequestRecord,
  ): Promise<ProviderSetting> {
    const { store, clock } = this.parts
    return retryOnConflict(async () => {
      const before = await this.#find(caller, place)
      const wanted = changed(before, changes)
      const refers = referring.some((name) => changes[name] !== undefined)
      await this.#validate(wanted, refers)
      const differs = Object.entries(wanted).some(([name, value]) => before[name as keyof ProviderSettingRow] !== value)
      if (differs) wanted.updated_at = clock.now()
      const data = presentSetting(wanted)
      const update = updateProviderSetting(store, {
        ...wanted,
        ...was(before),
        credentialWanted: refers ? wanted.provider_credential_id : null,
        versionWanted: refers ? wanted.provider_credential_version : null,
      })
      await store.commit([update, ...kept(record, data, presentSetting(before))])
      return data
    })
  }

  /** Deletes the setting and returns it. Throws `notFound`. */
  remove(caller: Caller, place: SettingPlace, record: RequestRecord): Promise<ProviderSetting> {
    const { store } = this.parts
    return retryOnConflict(async () => {
      const before = await this.#find(caller, place)
      const data = presentSetting(before)
      const { setting_id } = before
      await store.commit([deleteProviderSetting(store, { setting_id, ...was(before) }), ...kept(record, data)])
      return data
    })
  }

  /** Throws `validation_failed` for an invalid combination, `notFound` for a missing credential. */
  async #validate(row: ProviderSettingRow, refers: boolean): Promise<void> {
    const { store, baseUrls } = this.parts
    const credential = {
      providerCredentialId: row.provider_credential_id,
      providerCredentialVersion: row.provider_credential_version,
    }
    const { provider, model } = row
    const settings = JSON.parse(row.settings) as Record<string, unknown>
    const issues = [
      ...settingIssues({ provider, model, settings }, '/body', baseUrls),
      ...referenceIssues(credential, '/body'),
    ]
    if (issues.length > 0) throw invalid(issues)

    if (!refers) return
    const vendor = await providerReferredTo(store, row.organization_id, credential, '/body')
    const message = credentialFault(vendor, provider)
    if (message !== undefined) throw invalid([{ path: '/body/providerCredentialId', message }])
  }

  async #find(caller: Caller, place: SettingPlace): Promise<ProviderSettingRow> {
    const { store } = this.parts
    const { settingId } = place
    return orNotFound(
      await store.first<ProviderSettingRow>(findProviderSetting(store, { ...within(caller, place), settingId })),
    )
  }
}

const within = ({ organizationId }: Caller, { projectId, environmentId, agentId }: Place): ProviderSettingPlace => ({
  organizationId,
  projectId,
  environmentId,
  agentId,
})

/** The setting with the changes. A new credential is used at its current version unless a version is given. */
function changed(row: ProviderSettingRow, given: ProviderSettingFields): ProviderSettingRow {
  const { provider, model, settings, providerCredentialId, providerCredentialVersion } = given
  const isOther = providerCredentialId !== undefined && providerCredentialId !== row.provider_credential_id
  const version = isOther ? null : row.provider_credential_version
  return {
    ...row,
    provider: provider === undefined ? row.provider : provider,
    model: model === undefined ? row.model : model,
    settings: settings === undefined ? row.settings : JSON.stringify(settings),
    provider_credential_id: providerCredentialId === undefined ? row.provider_credential_id : providerCredentialId,
    provider_credential_version: providerCredentialVersion === undefined ? version : providerCredentialVersion,
  }
}

const was = (row: ProviderSettingRow) => ({
  providerWas: row.provider,
  modelWas: row.model,
  settingsWas: row.settings,
  credentialWas: row.provider_credential_id,
  versionWas: row.provider_credential_version,
})

/** The audit log identifies resources by a string. */
const kept = (record: RequestRecord, data: ProviderSetting, before?: ProviderSetting) =>
  record({ data: { ...data, id: String(data.settingId) } }, before)

const presentSetting = (row: ProviderSettingRow): ProviderSetting => ({
  settingId: row.setting_id,
  agentId: row.agent_id,
  provider: row.provider as ProviderSetting['provider'],
  model: row.model,
  settings: JSON.parse(row.settings) as Record<string, unknown>,
  providerCredentialId: row.provider_credential_id,
  providerCredentialVersion: row.provider_credential_version,
  createdAt: timestamp(row.created_at),
  updatedAt: timestamp(row.updated_at),
})

const exists = () =>
  new ApiError(409, 'setting_exists', 'The Agent already has a provider setting in this Environment; change that one.')
