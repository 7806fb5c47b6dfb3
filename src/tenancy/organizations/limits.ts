/** The limits of an organization by its plan. Source: contract 1, "Quotas"; contract 8. */
import { type Static, Type } from '@sinclair/typebox'
import { nullable } from '../../platform/http/schema.ts'

const most = (description: string) =>
  nullable(
    Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: `${description} null: unlimited.` }),
  )

const properties = {
  projects: most('Projects.'),
  agents: most("Agents in the organization's Projects."),
  liveRuns: most('Unfinished runs, including waiting ones.'),
  openStreams: most('Open event streams per server process.'),
  storedBytes: most('Stored run content in bytes.'),
}

export const PlanLimits = Type.Object(properties, {
  $id: 'PlanLimits',
  description: 'The limits of an organization; above them the answer is 422 `limit_exceeded`.',
})
export type PlanLimits = Static<typeof PlanLimits>
export type LimitName = keyof PlanLimits

/** Provides the current limits of an organization. */
export interface LimitsOfOrganizations {
  limits(organizationId: string): PlanLimits | Promise<PlanLimits>
}

/** The limits in the operator's file; missing ones are those of `defaultLimits`. */
export const GivenLimits = Type.Partial(Type.Object(properties))

export const defaultLimits: PlanLimits = {
  projects: 100,
  agents: 1_000,
  liveRuns: 10_000,
  openStreams: 1_000,
  storedBytes: null,
}
