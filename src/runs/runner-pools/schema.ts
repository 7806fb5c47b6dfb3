/** Runner pools as the API shows and takes them. Source: requirement 6; contract 1, 5. */
import { Type } from '@sinclair/typebox'
import { Id, Name, nullable, oneOf, Timestamp } from '../../platform/http/schema.ts'

const scope = (description: string) => oneOf(['organization', 'deployment'], { description })

const Exclusive = Type.Boolean({
  description: "Whether the organization's runs go to pools of its own only, and never to the deployment's runners.",
})

export const RunnerPool = Type.Object(
  {
    id: Id('rpl'),
    name: Name(),
    scope: scope("Whose runs its runners carry out: the organization's, or those of the whole deployment."),
    organizationId: nullable(Id('org', "Null for the deployment's pools.")),
    exclusive: Exclusive,
    createdAt: Timestamp('Creation'),
    updatedAt: Timestamp('Last change'),
  },
  { $id: 'RunnerPool', description: 'Runners that are trusted with the same runs.' },
)
export type RunnerPool = typeof RunnerPool.static

const tokenProperties = {
  id: Id('rtk'),
  poolId: Id('rpl'),
  prefix: nullable(
    Type.String({
      description: 'The beginning of the token, to tell tokens apart; null for the one of `TROUPE_RUNNER_TOKEN`.',
      examples: ['trr_7hQ2'],
    }),
  ),
  origin: oneOf(['api', 'configuration'], {
    description:
      '`configuration` is the token of `TROUPE_RUNNER_TOKEN`: the operator changes it, and nobody over the API.',
  }),
  status: oneOf(['active', 'revoked'], { description: 'A token that has expired stays as it is; see `expiresAt`.' }),
  expiresAt: nullable(Timestamp('From then on the token leases nothing. Null: never.')),
  lastUsedAt: nullable(Timestamp('The last use, to the minute.')),
  createdBy: nullable(Id('usr', 'Null for the one of the configuration.')),
  createdAt: Timestamp('Creation'),
}

export const RunnerToken = Type.Object(tokenProperties, {
  $id: 'RunnerToken',
  description: 'What the runners of a pool register with, without its secret.',
})
export type RunnerToken = typeof RunnerToken.static

export const CreatedRunnerToken = Type.Object(
  {
    ...tokenProperties,
    secret: Type.String({
      pattern: '^trr_[0-9A-Za-z]{49}$',
      description: 'The token itself, for `TROUPE_RUNNER_TOKEN` of a runner. Shown only this once.',
    }),
  },
  { $id: 'CreatedRunnerToken', description: 'A new token with its secret.' },
)
export type CreatedRunnerToken = typeof CreatedRunnerToken.static

export const PoolPath = Type.Object({ poolId: Id('rpl', 'The pool.') })
export const TokenPath = Type.Object({ ...PoolPath.properties, tokenId: Id('rtk', 'The token.') })

export const NewRunnerPool = Type.Object(
  {
    name: Name(),
    scope: Type.Optional(scope('`organization` unless given; `deployment` takes an owner of the first organization.')),
    exclusive: Type.Optional(Exclusive),
  },
  { $id: 'NewRunnerPool', description: 'A pool without tokens.' },
)
export type NewRunnerPool = typeof NewRunnerPool.static

export const RunnerPoolChanges = Type.Object(
  { name: Type.Optional(Name()), exclusive: Type.Optional(Exclusive) },
  { $id: 'RunnerPoolChanges', description: 'What is to change; the rest stays.' },
)
export type RunnerPoolChanges = typeof RunnerPoolChanges.static

const ExpiresAt = Type.Optional(Timestamp('In the future, at most 366 days ahead; left out: never.'))

export const NewRunnerToken = Type.Object(
  { expiresAt: ExpiresAt },
  { $id: 'NewRunnerToken', description: 'How long the token is to live.' },
)
export type NewRunnerToken = typeof NewRunnerToken.static

export const RunnerTokenRotation = Type.Object(
  {
    overlapSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 7 * 24 * 3_600,
        description: 'How long the rotated token can still be used, unless it ends before that; 3,600 unless given.',
      }),
    ),
    expiresAt: ExpiresAt,
  },
  { $id: 'RunnerTokenRotation', description: 'How one token follows another.' },
)
export type RunnerTokenRotation = typeof RunnerTokenRotation.static
