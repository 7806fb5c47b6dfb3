/** The routes of operations: invocations and approvals. Source: contract 6. */
import { Elysia } from 'elysia'
import type { Guarded } from '../../platform/http/guard/guarded.ts'
import { approvalRoutes } from '../approvals/routes.ts'
import { Approvals } from '../approvals/service.ts'
import { invocationRoutes } from './invocations/routes.ts'
import { type InvocationParts, InvocationService } from './invocations/service.ts'

export const operationRoutes = ({ guarded, ...parts }: InvocationParts & { guarded: Guarded }) =>
  new Elysia({ name: 'operations', prefix: '/api/v1/projects/:projectId/environments/:environmentId' })
    .use(invocationRoutes({ guarded, service: new InvocationService(parts) }))
    .use(approvalRoutes({ guarded, ...parts, approvals: new Approvals(parts) }))
