/** Webhooks of a manifest in the Environment. To get the signing secret of a new webhook, rotate it. */
import { digestOf } from '../../../platform/http/digest.ts'
import { pointer } from '../../../platform/json.ts'
import { requireUrlAllowed } from '../../../platform/outbound/setting.ts'
import { differing, type Planning, sectionPath, validating } from '../step.ts'

export async function planWebhooks(planning: Planning): Promise<void> {
  const { section, standing, steps, issues, kind: environment, parts } = planning
  for (const [endpointUrl, { eventTypes, enabled }] of Object.entries(section.webhooks ?? {})) {
    const at = `${sectionPath(planning)}/webhooks${pointer(endpointUrl)}`
    const allowed = await validating(planning, { '/body/endpointUrl': at }, () => {
      requireUrlAllowed('/body/endpointUrl', endpointUrl, parts.outboundPolicy)
      return true
    })
    if (!allowed) continue
    const change = { kind: 'webhook', name: endpointUrl, environment } as const
    const writes = { permissions: ['webhooks:create'] as const, stamp: digestOf({ eventTypes, enabled }) }
    const [found, ...others] = standing.webhooks.filter((each) => each.endpoint_url === endpointUrl)
    if (others.length > 0) {
      issues.push({
        path: at,
        message: `${others.length + 1} webhooks of ${environment} have this URL; change that of the others, or delete them.`,
      })
      continue
    }
    if (!found) {
      steps.push({
        change: { ...change, action: 'create', differences: [] },
        ...writes,
        write: (writer) => writer.createWebhook({ endpointUrl, eventTypes, ...(enabled === false && { enabled }) }),
      })
      continue
    }
    const was = JSON.parse(found.event_types) as string[]
    const isEnabled = found.enabled === 1
    const differences = [
      ...differing('/eventTypes', was.toSorted(), eventTypes.toSorted()),
      ...differing('/enabled', isEnabled, enabled ?? isEnabled),
    ]
    const changes = { eventTypes, ...(enabled !== undefined && { enabled }) }
    steps.push({
      change: { ...change, action: differences.length > 0 ? 'update' : 'unchanged', differences },
      ...(differences.length > 0 && { ...writes, write: (writer) => writer.changeWebhook(found.id, changes) }),
    })
  }
}
