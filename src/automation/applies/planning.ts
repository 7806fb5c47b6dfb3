/** Plans a manifest: its changes in an Environment, and all issues that prevent them. Source: contract 10, `Plan`. */
import type { Issue } from '../../platform/http/answers/errors.ts'
import { digestOf } from '../../platform/http/digest.ts'
import { issuesMax as shapeIssuesMax } from '../../platform/http/validation/deferred-validation.ts'
import { type EnvironmentKind, type Manifest, shapeIssues, soundPart, withTrimmedNames } from './manifest.ts'
import { planAgents, planDelegates } from './parts/agents.ts'
import { planConnections } from './parts/connections.ts'
import { planDefinitions } from './parts/definitions.ts'
import { planJobs } from './parts/jobs.ts'
import { planLimits } from './parts/limits.ts'
import { planModels } from './parts/models.ts'
import { planPlace } from './parts/place.ts'
import { planRemovals } from './parts/removals.ts'
import { isOfAll } from './parts/unsound.ts'
import { planVariables } from './parts/variables.ts'
import { planWebhooks } from './parts/webhooks.ts'
import { resolve } from './resolution.ts'
import { readStanding } from './standing.ts'
import { differencesMax, type PlanChange, type Planning, type PlanningParts, type Step } from './step.ts'

export interface Plan {
  digest: string
  changes: PlanChange[]
  issues: Issue[]
}

/** A plan with the data to write it; undefined for a manifest that does not even name its Project. */
export interface Planned {
  plan: Plan
  steps: Step[]
  planning: Planning | undefined
}

/** The most issues that are reported. */
const issuesMax = 200

interface PlanRequest {
  manifest: unknown
  environment: EnvironmentKind
  prune: boolean
}

/** Compares the manifest with the existing resources. Writes nothing. */
export async function planManifest(
  parts: PlanningParts,
  organizationId: string,
  { manifest, environment: kind, prune }: PlanRequest,
): Promise<Planned> {
  const misshapen = shapeIssues(manifest)
  const sound = misshapen.length === 0 ? (manifest as Manifest) : soundPart(manifest, misshapen)
  if (!sound) return { plan: planOf([], misshapen, { kind, prune }), steps: [], planning: undefined }
  const standing = await readStanding(parts.store, organizationId, sound.project.slug, kind, () => ({
    agents: new Set(Object.keys(sound.agents ?? {})),
    definitions: new Set(Object.keys(sound.definitions ?? {})),
  }))
  const planning: Planning = {
    parts,
    organizationId,
    kind,
    manifest: withTrimmedNames(sound),
    given: manifest,
    section: sound.environments?.[kind] ?? {},
    standing,
    prune,
    room: { left: differencesMax, truncated: false },
    issues: [...misshapen],
    steps: [],
    sound: { agents: new Set(), definitions: new Set() },
    attachments: [],
  }
  await planPlace(planning)
  await planDefinitions(planning)
  await planAgents(planning)
  await planVariables(planning)
  await planConnections(planning)
  await planModels(planning)
  await planJobs(planning)
  await planWebhooks(planning)
  await planLimits(planning)
  if (!misshapen.some(isOfAll) && misshapen.length < shapeIssuesMax) await resolve(planning)
  planDelegates(planning)
  await planRemovals(planning)
  const { steps, issues } = planning
  return { plan: planOf(steps, issues, { kind, prune }), steps, planning }
}

function planOf(steps: readonly Step[], issues: Issue[], asked: { kind: EnvironmentKind; prune: boolean }): Plan {
  const changes = steps.map(({ change }) => change)
  const stamps = steps.map(({ stamp }) => stamp ?? null)
  return { digest: digestOf({ changes, stamps, ...asked }), changes, issues: issues.slice(0, issuesMax) }
}
