/** Runner pools and their tokens over HTTP. Source: requirement 6; contract 1, 5. */
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { doc } from '../../platform/http/doc.ts'
import type { Naming } from '../../platform/http/guard/find.ts'
import type { Guarded } from '../../platform/http/guard/guarded.ts'
import { pageQuery } from '../../platform/http/pagination.ts'
import { dataOf, omissible, pageOf } from '../../platform/http/schema.ts'
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
        "Lists the organization's pools, newest first. Owners of the first organization also see the pools of the server.",
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
        "Runners of an organization's pool lease only runs of that organization. Runners of a pool of the server lease " +
          'runs of all organizations without an exclusive pool. An organization can have up to 20 pools.',
      ),
    })
    .get('/:poolId', async ({ caller, params }) => ({ data: await pools.get(caller, params.poolId) }), {
      ...reads,
      params: PoolPath,
      find,
      response: { 200: dataOf(RunnerPool) },
      detail: doc('getRunnerPool', 'Get a runner pool', 'The pool without its tokens.'),
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
          "Once a pool is exclusive, the organization's runs are leased only by its own pools. Attempts in progress on the server's runners continue.",
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
        'Deletes the pool and revokes its tokens. The first pool of the server cannot be deleted.',
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
        'Lists tokens without their secrets, newest first, including revoked and expired ones.',
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
        body: omissible(RunnerTokenRotation),
        response: { 201: dataOf(CreatedRunnerToken) },
        errors: ['limit_exceeded', 'invalid_transition', 'set_by_operator', 'deletion_in_progress'],
        detail: doc(
          'rotateRunnerToken',
          'Rotate a token of a runner pool',
          'Creates a new token. The rotated token remains valid for `overlapSeconds`; attempts leased with it continue.',
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
          'Permanent and effective immediately: the token leases nothing, its waiting lease requests end, and attempts ' +
            'leased with it end; their runs are queued again. Repeating the request is safe.',
        ),
      },
    )
}
