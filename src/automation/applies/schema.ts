/** The schemas of Applies and plans. Source: contract 10. */
import { type Static, Type } from '@sinclair/typebox'
import type { ApplyContext } from '../../../machines/apply.ts'
import type { ApplyRow } from '../../../storage/tables.ts'
import { Difference } from '../../authoring/releases/differences/schema.ts'
import { Credentials } from '../../delivery/deployments/schema.ts'
import { Description, Id, nullable, oneOf, Timestamp } from '../../platform/http/schema.ts'
import { timestamp, timestampOrNull } from '../../platform/http/timestamp.ts'
import { deferredValidation } from '../../platform/http/validation/deferred-validation.ts'
import { environmentKinds, ManifestShape } from './manifest.ts'
import type { Plan as PlanOfManifest } from './planning.ts'
import { actions, changedKinds } from './step.ts'

const states = [
  'planned',
  'writing',
  'releasing',
  'configuring',
  'deploying',
  'activating',
  'applied',
  'failed',
  'canceled',
] as const

const Environment = oneOf(environmentKinds, { description: 'The kind of the Environment.' })

const PlanChange = Type.Object(
  {
    action: oneOf(actions, {
      description:
        '`revise` publishes a new revision; `update` changes an existing resource, or activates an existing revision.',
    }),
    kind: oneOf(changedKinds, { description: 'What it is.' }),
    name: Type.String({ description: 'Its name, as in the manifest.', examples: ['clerk'] }),
    environment: nullable(
      oneOf(environmentKinds, {
        description:
          'The kind of the Environment; null for a resource of the whole Project. `remove` of an Agent or a Definition from ' +
          'an Environment leaves it in the Project, where another Environment uses it.',
      }),
    ),
    differences: Type.Array(Difference, {
      description: 'The differences, without secrets; without values of what the credential may not read.',
    }),
  },
  { $id: 'PlanChange', description: 'One resource and its change.' },
)

export const Plan = Type.Object(
  {
    digest: Type.String({ description: 'Equal for equal plans: `expectedPlanDigest` of an Apply.' }),
    changes: Type.Array(PlanChange, { description: 'Everything that the manifest names.' }),
    issues: Type.Array(
      Type.Object({
        path: Type.String({ description: 'A JSON Pointer into the manifest.', examples: ['/agents/clerk/content'] }),
        message: Type.String(),
      }),
      { description: 'All problems; with any, nothing is applied.' },
    ),
  },
  { $id: 'ApplyPlan', description: 'The changes that applying a manifest would make.' },
)

export const Apply = Type.Object(
  {
    id: Id('apl'),
    projectId: Id('prj'),
    environmentId: Id('env'),
    state: oneOf(states, { description: 'The state of its statechart: `GET /api/v1/machines/apply`.' }),
    stateReason: nullable(
      Type.Object({ code: Type.String(), message: Type.String() }, { description: 'Why it failed.' }),
    ),
    plan: Plan,
    description: nullable(Type.String()),
    releaseId: nullable(Id('rel')),
    configurationRevisionId: nullable(Id('cfr')),
    deploymentId: nullable(Id('dep')),
    activationId: nullable(Id('act', 'null also where nothing had to be activated.')),
    createdBy: Type.Object({ type: oneOf(['user', 'apiKey']), id: Type.String() }),
    createdAt: Timestamp(),
    updatedAt: Timestamp('When its state last changed.'),
    endedAt: nullable(Timestamp()),
  },
  { $id: 'Apply', description: 'A manifest, a promotion or a roll-back on its way into an Environment.' },
)
export type Apply = Static<typeof Apply>

/** The shape of the manifest is checked during planning, so that one answer has all issues. */
const AnyManifest = deferredValidation<Record<string, unknown>>(ManifestShape)

const asked = {
  manifest: AnyManifest,
  environment: Environment,
  prune: Type.Optional(
    Type.Boolean({
      description:
        'Whether to remove Agents, Definitions, Connections and variables that the manifest does not name; only those that ' +
        'an Apply created and no other Environment uses. Not with `activate: false`. Default false.',
    }),
  ),
}

export const PlanBody = Type.Object(asked, { $id: 'PlanRequest', description: 'The manifest to plan.' })
export type PlanBody = Static<typeof PlanBody>

const activate = Type.Optional(
  Type.Boolean({ description: 'Whether the Deployment serves once it is ready. Default true.' }),
)

export const NewApply = Type.Object(
  {
    ...asked,
    activate,
    expectedPlanDigest: Type.Optional(
      Type.String({ maxLength: 200, description: 'The plan that was reviewed; a different one is refused (409).' }),
    ),
    description: Type.Optional(Description('Goes with the Release.')),
  },
  { $id: 'NewApply', description: 'The manifest to apply.' },
)
export type NewApply = Static<typeof NewApply>

export const NewPromotion = Type.Object(
  {
    projectId: Id('prj'),
    fromEnvironmentId: Id('env', 'The Environment whose active Release is promoted.'),
    toEnvironmentId: Id('env', 'The target Environment, with its own configuration.'),
    activate,
  },
  { $id: 'NewPromotion', description: 'The active Release of one Environment, for another one.' },
)
export type NewPromotion = Static<typeof NewPromotion>

export const NewRollback = Type.Object(
  {
    steps: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 100,
        description: 'The number of Deployments to go back, in the order in which they served. Default: 1.',
      }),
    ),
    credentials: Type.Optional(Credentials),
  },
  { $id: 'NewRollback', description: 'The number of steps to go back.' },
)
export type NewRollback = Static<typeof NewRollback>

export const ManifestOfProject = Type.Unsafe<Record<string, unknown>>(ManifestShape)

export function presentApply(row: ApplyRow): Apply {
  const context = JSON.parse(row.context) as ApplyContext
  return {
    id: row.id,
    projectId: row.project_id,
    environmentId: row.environment_id,
    state: row.state as Apply['state'],
    stateReason: context.failure,
    plan: JSON.parse(row.plan) as PlanOfManifest,
    description: (JSON.parse(row.request) as { description: string | null }).description,
    releaseId: context.releaseId ?? row.release_id,
    configurationRevisionId: context.configurationRevisionId,
    deploymentId: context.deploymentId ?? row.deployment_id,
    activationId: context.activationId ?? row.activation_id,
    createdBy: { type: row.created_by_type, id: row.created_by_id },
    createdAt: timestamp(row.created_at),
    updatedAt: timestamp(row.updated_at),
    endedAt: timestampOrNull(context.endedAt),
  }
}
