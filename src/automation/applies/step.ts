/**
 * The steps of a plan: one for each resource that the manifest names, with its changes and the functions that write
 * them.
 */
import type { Store } from '../../../storage/store.ts'
import { differencesOf, type Room } from '../../authoring/releases/differences/compare.ts'
import type { Difference } from '../../authoring/releases/differences/schema.ts'
import type { DelegateAttachment } from '../../authoring/releases/schema.ts'
import type { ApiError, Issue } from '../../platform/http/answers/errors.ts'
import { toApiError } from '../../platform/http/answers/failure.ts'
import type { Permission } from '../../platform/http/guard/permissions.ts'
import type { Vendor } from '../../platform/models/vendors.ts'
import type { OutboundPolicy } from '../../platform/outbound/policy.ts'
import type { Vault } from '../../platform/secrets/vault.ts'
import type { Actors } from '../../runtime/actors.ts'
import type { LimitsOfOrganizations } from '../../tenancy/organizations/limits.ts'
import type { EnvironmentKind, Manifest, ManifestSection } from './manifest.ts'
import type { Standing } from './standing.ts'
import type { Writer } from './writer.ts'

export const changedKinds = [
  'project',
  'environment',
  'definition',
  'agent',
  'variable',
  'connection',
  'model',
  'job',
  'webhook',
] as const
export const actions = ['create', 'revise', 'update', 'unchanged', 'remove'] as const

/** One line of a plan, as the API shows it. */
export interface PlanChange {
  action: (typeof actions)[number]
  kind: (typeof changedKinds)[number]
  name: string
  /** null for a resource of the whole Project. */
  environment: EnvironmentKind | null
  differences: Difference[]
}

export interface Step {
  change: PlanChange
  /** The data and functions to write the step; omitted if nothing is written. */
  permissions?: readonly Permission[]
  /** Distinguishes plans that look the same: the digest of a hidden value. */
  stamp?: string
  /** Precedes all writes; idempotent. */
  prepare?(writer: Writer): Promise<unknown>
  /** Writes the step; idempotent, since the next plan finds the existing resource. */
  write?(writer: Writer): Promise<unknown>
  /** Removes the resource, once a Deployment without it is active. */
  remove?(writer: Writer): Promise<unknown>
}

export interface PlanningParts {
  store: Store
  actors: Pick<Actors, 'hasRow'>
  vault: Vault
  outboundPolicy: OutboundPolicy
  /** The names of models are unknown for vendors with an overridden address. */
  baseUrls: Partial<Record<Vendor, string>>
  systemAgents: { find(id: string): unknown }
  billing: { terms: LimitsOfOrganizations }
}

/** A manifest, the existing resources, and the results of planning. */
export interface Planning {
  parts: PlanningParts
  organizationId: string
  kind: EnvironmentKind
  manifest: Manifest
  /** The manifest as it was sent, with its invalid parts. */
  given: unknown
  /** The part of the manifest for the Environment. */
  section: ManifestSection
  standing: Standing
  prune: boolean
  room: Room
  issues: Issue[]
  steps: Step[]
  /** The Agents and Definitions of the manifest with valid contents. */
  sound: { agents: Set<string>; definitions: Set<string> }
  /** The Agents behind the delegates of the Release, once references are resolved. */
  attachments: DelegateAttachment[]
}

/** The differences of the whole plan. */
export const differencesMax = 1_000

export const sectionPath = ({ kind }: Pick<Planning, 'kind'>) => `/environments/${kind}`

/** The difference of two short values; undefined: the value is missing. */
export function differing(path: string, before: unknown, after: unknown): Difference[] {
  if (before === after || JSON.stringify(before) === JSON.stringify(after)) return []
  return [{ path, ...(before !== undefined && { before }), ...(after !== undefined && { after }), shortened: false }]
}

/** The differences of two values, each below `path`. */
export async function differencesBelow(planning: Planning, path: string, before: unknown, after: unknown) {
  const found = await differencesOf(before, after, planning.room)
  return found.map((each) => ({ ...each, path: `${path}${each.path}` }))
}

/**
 * Runs a validation that is written for a single request, and converts its refusal to issues of the manifest: `places`
 * maps paths of the request (`/body/content`) to paths of the manifest (`/agents/clerk/content`). Other errors are
 * rethrown.
 */
export async function validating<Result>(
  planning: Pick<Planning, 'issues'>,
  places: Readonly<Record<string, string>>,
  validate: () => Result | Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await validate()
  } catch (thrown) {
    const error = toApiError(thrown)
    if (error.status !== 422) throw thrown
    planning.issues.push(...issuesOf(error, places))
    return undefined
  }
}

function issuesOf(error: ApiError, places: Readonly<Record<string, string>>): Issue[] {
  const [first = ''] = Object.values(places)
  const issues = error.details?.issues as Issue[] | undefined
  if (!issues || issues.length === 0) return [{ path: first, message: error.message }]
  return issues.map(({ path, message }) => {
    const from = Object.keys(places)
      .filter((each) => path === each || path.startsWith(`${each}/`))
      .sort((one, other) => other.length - one.length)[0]
    if (from === undefined) return { path: first, message }
    const to = places[from] as string
    // a message may name another place, such as that of an equal item
    return { path: `${to}${path.slice(from.length)}`, message: message.replaceAll(` ${from}/`, ` ${to}/`) }
  })
}
