/** How much of everything an organization may have, by its plan. Source: contract 1, "Quotas"; contract 8. */
import { type Static, Type } from '@sinclair/typebox'
import { nullable } from '../../platform/http/schema.ts'

const most = (description: string) =>
  nullable(
    Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: `${description} null: no bound.` }),
  )

const properties = {
  projects: most('Projects.'),
  agents: most("Agents in the organization's Projects."),
  liveRuns: most('Runs that have not ended, those that wait included.'),
  openStreams: most('Event streams that are open at the same time, for each server process.'),
  storedBytes: most('What runs were given and gave, in bytes.'),
}

export const PlanLimits = Type.Object(properties, {
  $id: 'PlanLimits',
  description: 'What an organization may have at most; beyond it the answer is 422 `limit_exceeded`.',
})
export type PlanLimits = Static<typeof PlanLimits>
export type LimitName = keyof PlanLimits

/** What says how much an organization may have at most, now. */
export interface LimitsOfOrganizations {
  limits(organizationId: string): PlanLimits | Promise<PlanLimits>
}

/** As the operator's file has them: what is left out is as in `defaultLimits`. */
export const GivenLimits = Type.Partial(Type.Object(properties))

export const defaultLimits: PlanLimits = {
  projects: 100,
  agents: 1_000,
  liveRuns: 10_000,
  openStreams: 1_000,
  storedBytes: null,
}
