/** Models of Agents in the Environment: provider settings of the API. */
import { credentialFault, settingIssues } from '../../../delivery/provider-settings/rules.ts'
import { NewSettings, type ProviderSettingFields } from '../../../delivery/provider-settings/schema.ts'
import { digestOf } from '../../../platform/http/digest.ts'
import { issuesMax } from '../../../platform/http/validation/deferred-validation.ts'
import { inspector } from '../../../platform/http/validation/validation.ts'
import { pointer } from '../../../platform/json.ts'
import { differencesBelow, differing, type Planning, sectionPath } from '../step.ts'
import { agentIssues } from './connections.ts'
import { credentialBy, labelOf } from './credentials.ts'

const inspectSettings = inspector(NewSettings, '', issuesMax)

export async function planModels(planning: Planning): Promise<void> {
  const { section, standing, steps, issues, kind: environment, parts } = planning
  for (const [slug, wanted] of Object.entries(section.models ?? {})) {
    const at = `${sectionPath(planning)}/models${pointer(slug)}`
    issues.push(...agentIssues(planning, slug, at))
    const credential = credentialBy(planning, wanted.credential, `${at}/credential`)
    const { provider = null, model = null, settings = {} } = wanted
    const isFor = standing.credentials.find(({ id }) => id === credential)?.provider ?? null
    const mismatch = credentialFault(isFor, provider)
    const found = [
      ...inspectSettings(settings).map(({ path, message }) => ({ path: `${at}/settings${path}`, message })),
      ...settingIssues({ provider, model, settings }, at, parts.baseUrls),
      ...(mismatch === undefined ? [] : [{ path: `${at}/credential`, message: mismatch }]),
    ]
    issues.push(...found)
    if (found.length > 0 || credential === undefined) continue
    const change = { kind: 'model', name: slug, environment } as const
    const permissions = ['projects:update'] as const
    const fields: ProviderSettingFields = { provider, model, settings, providerCredentialId: credential }
    const agent = standing.agents.get(slug)?.row
    const row = agent && standing.models.get(agent.id)
    const writes = { permissions, stamp: digestOf(fields) }
    if (!row) {
      steps.push({
        change: { ...change, action: 'create', differences: [] },
        ...writes,
        write: (writer) => writer.createModel(slug, fields),
      })
      continue
    }
    const differences = [
      ...differing('/provider', row.provider ?? undefined, provider ?? undefined),
      ...differing('/model', row.model ?? undefined, model ?? undefined),
      ...(await differencesBelow(planning, '/settings', JSON.parse(row.settings), settings)),
      ...differing('/credential', labelOf(planning, row.provider_credential_id), labelOf(planning, credential)),
    ]
    steps.push({
      change: { ...change, action: differences.length > 0 ? 'update' : 'unchanged', differences },
      ...(differences.length > 0 && {
        ...writes,
        write: (writer) => writer.changeModel(slug, row.setting_id, fields),
      }),
    })
  }
}
