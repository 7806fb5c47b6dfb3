/** Runner pools as the API shows and takes them. Source: requirement 6; contract 1, 5. */
import { Type } from '@sinclair/typebox'
import { Id, Name, nullable, oneOf, Timestamp } from '../../platform/http/schema.ts'

const scope = (description: string) => oneOf(['organization', 'deployment'], { description })

const Exclusive = Type.Boolean({
  description: "Whether the organization's runs execute only in its own pools, never on the server's runners.",
})

export const RunnerPool = Type.Object(
  {
    id: Id('rpl'),
    name: Name(),
    scope: scope('Which runs its runners execute: those of the organization, or those of the whole server.'),
    organizationId: nullable(Id('org', 'Null for pools of the server.')),
    exclusive: Exclusive,
    createdAt: Timestamp('Creation'),
    updatedAt: Timestamp('Last change'),
  },
  { $id: 'RunnerPool', description: 'A group of runners that execute the same runs.' },
)
export type RunnerPool = typeof RunnerPool.static

const tokenProperties = {
  id: Id('rtk'),
  poolId: Id('rpl'),
  prefix: nullable(
    Type.String({
      description: 'The beginning of the token, to identify it; null for `TROUPE_RUNNER_TOKEN`.',
      examples: ['trr_7hQ2'],
    }),
  ),
  origin: oneOf(['api', 'configuration'], {
    description: '`configuration` is the token of `TROUPE_RUNNER_TOKEN`: only the operator can change it, not the API.',
  }),
  status: oneOf(['active', 'revoked'], { description: 'Expired tokens keep their status; see `expiresAt`.' }),
  expiresAt: nullable(Timestamp('When the token expires; null if it does not.')),
  lastUsedAt: nullable(Timestamp('The last use, with a precision of one minute.')),
  createdBy: nullable(Id('usr', 'Null for the token of the configuration.')),
  createdAt: Timestamp('Creation'),
}

export const RunnerToken = Type.Object(tokenProperties, {
  $id: 'RunnerToken',
  description: 'A token by which runners of the pool authenticate, without its secret.',
})
export type RunnerToken = typeof RunnerToken.static

export const CreatedRunnerToken = Type.Object(
  {
    ...tokenProperties,
    secret: Type.String({
      pattern: '^trr_[0-9A-Za-z]{49}$',
      description: 'The token, for the `TROUPE_RUNNER_TOKEN` of a runner. Shown only once.',
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
    scope: Type.Optional(
      scope('`organization` unless given; `deployment` requires an owner of the first organization.'),
    ),
    exclusive: Type.Optional(Exclusive),
  },
  { $id: 'NewRunnerPool', description: 'A new pool, without tokens.' },
)
export type NewRunnerPool = typeof NewRunnerPool.static

export const RunnerPoolChanges = Type.Object(
  { name: Type.Optional(Name()), exclusive: Type.Optional(Exclusive) },
  { $id: 'RunnerPoolChanges', description: 'The fields to change.' },
)
export type RunnerPoolChanges = typeof RunnerPoolChanges.static

const ExpiresAt = Type.Optional(Timestamp('When the token expires, at most 366 days ahead. Default: never.'))

export const NewRunnerToken = Type.Object(
  { expiresAt: ExpiresAt },
  { $id: 'NewRunnerToken', description: 'A new token.' },
)
export type NewRunnerToken = typeof NewRunnerToken.static

export const RunnerTokenRotation = Type.Object(
  {
    overlapSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 7 * 24 * 3_600,
        description: 'How long the rotated token remains valid, unless it expires earlier. Default: 3,600.',
      }),
    ),
    expiresAt: ExpiresAt,
  },
  { $id: 'RunnerTokenRotation', description: 'A rotation of a token.' },
)
export type RunnerTokenRotation = typeof RunnerTokenRotation.static
