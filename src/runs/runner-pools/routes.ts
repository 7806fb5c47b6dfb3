/** Runner pools and their tokens over HTTP. Source: requirement 6; contract 1, 5. */
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { doc } from '../../platform/http/doc.ts'
import type { Naming } from '../../platform/http/guard/find.ts'
import type { Guarded } from '../../platform/http/guard/guarded.ts'
import { pageQuery } from '../../platform/http/pagination.ts'
import { dataOf, pageOf } from '../../platform/http/schema.ts'
import { findPool } from './access.ts'
import { RunnerPools, type RunnerPoolsParts } from './pools.ts'
import {
  CreatedRunnerToken,
  NewRunnerPool,
  NewRunnerToken,
  PoolPath,
  RunnerPool,
  RunnerPoolChanges,
  RunnerToken,
  RunnerTokenRotation,
  TokenPath,
} from './schema.ts'
import { RunnerPoolTokens } from './tokens.ts'

const reads = { permission: 'organizations:get', organizationWide: true } as const
const writes = { permission: 'organizations:update', organizationWide: true } as const

export function runnerPoolRoutes(parts: RunnerPoolsParts & { guarded: Guarded }) {
  const pools = new RunnerPools(parts)
  const tokens = new RunnerPoolTokens(parts)
  const find = ({ caller, params }: Naming<typeof PoolPath>) => findPool(parts.store, caller, params.poolId)
  const findToken = ({ caller, params }: Naming<typeof TokenPath>) => tokens.find(caller, params)
  return new Elysia({ name: 'runner-pools', prefix: '/api/v1/runner-pools', tags: ['Runner pools'] })
    .use(parts.guarded)
    .get('', ({ caller, query }) => pools.list(caller, query), {
      ...reads,
      query: pageQuery,
      response: { 200: pageOf(RunnerPool) },
      detail: doc(
        'listRunnerPools',
        'List runner pools',
        "The organization's, newest first; owners of the first organization see those of the deployment as well.",
      ),
    })
    .post('', async ({ caller, body, record }) => ({ data: await pools.create(caller, body, record) }), {
      ...writes,
      resource: 'runnerPool',
      body: NewRunnerPool,
      response: { 201: dataOf(RunnerPool) },
      errors: [['name_taken', 409], 'limit_exceeded', 'deletion_in_progress'],
      detail: doc(
        'createRunnerPool',
        'Create a runner pool',
        "Runners of an organization's pool lease only runs of that organization. Runners of a pool of the deployment lease " +
          'runs of all organizations but those that have an exclusive pool. An owner has at most 20 pools.',
      ),
    })
    .get('/:poolId', async ({ caller, params }) => ({ data: await pools.get(caller, params.poolId) }), {
      ...reads,
      params: PoolPath,
      find,
      response: { 200: dataOf(RunnerPool) },
      detail: doc('getRunnerPool', 'Get a runner pool', 'Without its tokens.'),
    })
    .patch(
      '/:poolId',
      async ({ caller, params, body, record }) => ({ data: await pools.change(caller, params.poolId, body, record) }),
      {
        ...writes,
        resource: 'runnerPool',
        params: PoolPath,
        find,
        body: RunnerPoolChanges,
        response: { 200: dataOf(RunnerPool) },
        errors: [['name_taken', 409], 'deletion_in_progress'],
        detail: doc(
          'updateRunnerPool',
          'Rename a runner pool, or make it exclusive',
          "From the answer on, runs of an organization with an exclusive pool are leased by its own pools only; what the deployment's runners have under way they bring to its end.",
        ),
      },
    )
    .delete('/:poolId', ({ caller, params, record }) => pools.remove(caller, params.poolId, record), {
      ...writes,
      resource: 'runnerPool',
      whileDeleting: true,
      params: PoolPath,
      find,
      response: { 204: Type.Void() },
      errors: ['set_by_operator'],
      detail: doc(
        'deleteRunnerPool',
        'Delete a runner pool',
        'With its tokens, which count as revoked. The first pool of the deployment stays.',
      ),
    })
    .get('/:poolId/tokens', ({ caller, params, query }) => tokens.list(caller, params.poolId, query), {
      ...writes,
      params: PoolPath,
      find,
      query: pageQuery,
      response: { 200: pageOf(RunnerToken) },
      detail: doc(
        'listRunnerTokens',
        'List the tokens of a runner pool',
        'Newest first, without their secrets; revoked and expired ones too.',
      ),
    })
    .post(
      '/:poolId/tokens',
      async ({ caller, params, body, record }) => ({ data: await tokens.create(caller, params.poolId, body, record) }),
      {
        ...writes,
        resource: 'runnerToken',
        params: PoolPath,
        find,
        body: NewRunnerToken,
        response: { 201: dataOf(CreatedRunnerToken) },
        errors: ['limit_exceeded', 'deletion_in_progress'],
        detail: doc(
          'createRunnerToken',
          'Create a token of a runner pool',
          '`secret` is shown only here. A pool has at most 20 tokens that can be used.',
        ),
      },
    )
    .post(
      '/:poolId/tokens/:tokenId/rotate',
      async ({ caller, params, body, record }) => ({ data: await tokens.rotate(caller, params, body, record) }),
      {
        ...writes,
        resource: 'runnerToken',
        params: TokenPath,
        find: findToken,
        body: RunnerTokenRotation,
        response: { 201: dataOf(CreatedRunnerToken) },
        errors: ['limit_exceeded', 'invalid_transition', 'set_by_operator', 'deletion_in_progress'],
        detail: doc(
          'rotateRunnerToken',
          'Rotate a token of a runner pool',
          'Makes another token. The rotated one leases for `overlapSeconds` more; what was leased with it by then goes on.',
        ),
      },
    )
    .post(
      '/:poolId/tokens/:tokenId/revoke',
      async ({ caller, params, record }) => ({ data: await tokens.revoke(caller, params, record) }),
      {
        ...writes,
        resource: 'runnerToken',
        whileDeleting: true,
        params: TokenPath,
        find: findToken,
        response: { 200: dataOf(RunnerToken) },
        errors: ['set_by_operator'],
        detail: doc(
          'revokeRunnerToken',
          'Revoke a token of a runner pool',
          'For good, and from the very next request on: it leases nothing, requests for work that wait with it end, and ' +
            'attempts that were leased with it are over; their runs go back to the queue. Revoking again is fine.',
        ),
      },
    )
}
