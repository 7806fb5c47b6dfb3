/** The routes of approvals. Source: requirement 5.8; contract 6. */
import { Elysia } from 'elysia'
import type { Store } from '../../../storage/store.ts'
import type { Bundles } from '../../delivery/deployments/bundles.ts'
import { doc } from '../../platform/http/doc.ts'
import type { Naming } from '../../platform/http/guard/find.ts'
import type { Guarded } from '../../platform/http/guard/guarded.ts'
import { EnvironmentPath } from '../../platform/http/paths.ts'
import { dataOf, pageOf } from '../../platform/http/schema.ts'
import { approvalRequestOf } from './request.ts'
import { ApprovalRequest } from './request-schema.ts'
import { Approval, ApprovalPath, ApprovalQuery, DecisionBody } from './schema.ts'
import type { Approvals } from './service.ts'

const resource = 'operationApproval'
const decisionErrors = ['invalid_transition', 'deletion_in_progress', 'concurrent_change'] as const

interface ApprovalRouteParts {
  guarded: Guarded
  approvals: Approvals
  store: Store
  bundles: Bundles
}

export function approvalRoutes({ guarded, approvals, ...parts }: ApprovalRouteParts) {
  const find = ({ caller, params }: Naming<typeof ApprovalPath>) => approvals.get(caller, params)
  return new Elysia({ name: 'operations/approvals', prefix: '/operation-approvals', tags: ['Operations'] })
    .use(guarded)
    .get('', ({ caller, params, query }) => approvals.list(caller, params, query), {
      permission: 'operation-approvals:list',
      params: EnvironmentPath,
      query: ApprovalQuery,
      response: { 200: pageOf(Approval) },
      detail: doc('listOperationApprovals', 'List approvals', 'Newest first.'),
    })
    .get('/:approvalId', async ({ caller, params }) => ({ data: await approvals.get(caller, params) }), {
      permission: 'operation-approvals:list',
      params: ApprovalPath,
      find,
      response: { 200: dataOf(Approval) },
      detail: doc('getOperationApproval', 'Get an approval'),
    })
    .get(
      '/:approvalId/request',
      async ({ caller, params }) => ({ data: await approvalRequestOf(parts, await approvals.find(caller, params)) }),
      {
        permission: 'operation-approvals:list',
        params: ApprovalPath,
        find,
        response: { 200: dataOf(ApprovalRequest) },
        detail: doc(
          'getOperationApprovalRequest',
          'Get the request of an approval',
          'What is sent once it is approved: the request over HTTP with its values filled in, or what else is called. ' +
            'Secrets, variables, the context of the run and headers of the Connection stand in it by their names. ' +
            'Nothing is sent, and nothing is read but what this server stores.',
        ),
      },
    )
    .post(
      '/:approvalId/approve',
      async ({ caller, params, body, record }) => ({ data: await approvals.approve(caller, params, body, record) }),
      {
        permission: 'operation-approvals:approve',
        resource,
        params: ApprovalPath,
        find,
        body: DecisionBody,
        response: { 200: dataOf(Approval) },
        errors: [...decisionErrors],
        detail: doc(
          'approveOperation',
          'Approve an operation',
          'Starts the operation; a run that awaits it continues with the result. An ' +
            'approval that has been decided answers a conflict, with its status as `currentState`.',
        ),
      },
    )
    .post(
      '/:approvalId/reject',
      async ({ caller, params, body, record }) => ({ data: await approvals.reject(caller, params, body, record) }),
      {
        permission: 'operation-approvals:reject',
        resource,
        params: ApprovalPath,
        find,
        body: DecisionBody,
        response: { 200: dataOf(Approval) },
        errors: [...decisionErrors],
        detail: doc(
          'rejectOperation',
          'Reject an operation',
          'The operation never runs; a run that awaits it continues, and its model gets the rejection.',
        ),
      },
    )
}
