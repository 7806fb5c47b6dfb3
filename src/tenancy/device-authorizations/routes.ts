/** The routes of device authorizations. Source: contract 10, "CLI"; RFC 8628. */
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { doc } from '../../platform/http/doc.ts'
import type { Guarded } from '../../platform/http/guard/guarded.ts'
import { dataOf } from '../../platform/http/schema.ts'
import { CreatedApiKey } from '../api-keys/schema.ts'
import { Keys, type KeysParts } from '../api-keys/service.ts'
import { treeIn } from '../projects/tree.ts'
import { originOf } from '../sessions/origin.ts'
import {
  DeviceApproval,
  DeviceAuthorization,
  DeviceCodeBody,
  NewDeviceAuthorization,
  PendingDeviceAuthorization,
  UserCodePath,
} from './schema.ts'
import { DeviceAuthorizations, type DeviceAuthorizationsParts } from './service.ts'

interface DeviceRoutesParts
  extends Omit<DeviceAuthorizationsParts, 'keys' | 'clock'>,
    Omit<KeysParts, 'tree' | 'store'> {
  guarded: Guarded
  /** The client's address. */
  addressOf(request: Request): string | undefined
}

export function deviceAuthorizationRoutes(parts: DeviceRoutesParts) {
  const { guarded, addressOf } = parts
  const keys = new Keys({ ...parts, tree: treeIn(parts.store) })
  const authorizations = new DeviceAuthorizations({ ...parts, keys })
  const find = ({ params }: { params: typeof UserCodePath.static }) => authorizations.get(params.userCode)

  return new Elysia({ name: 'device-authorizations', tags: ['API keys'] })
    .use(guarded)
    .post(
      '/api/auth/device-authorizations',
      async ({ body, request, requestId, requestIdFrom }) => ({
        data: await authorizations.request(
          body.clientName,
          originOf(request, { requestId, requestIdFrom }, addressOf(request)),
        ),
      }),
      {
        publicAccess: true,
        body: NewDeviceAuthorization,
        response: { 201: dataOf(DeviceAuthorization) },
        errors: ['rate_limited', 'store_unavailable', 'service_unavailable'],
        detail: doc(
          'requestDeviceAuthorization',
          'Request an API key for a program',
          'For programs that have no credential yet, such as `troupe login`: show `userCode` and ' +
            '`verificationUrlComplete` to the person, and exchange `deviceCode` until it is answered with a key. An ' +
            'address may ask 30 times in 15 minutes.',
        ),
      },
    )
    .post(
      '/api/auth/device-authorizations/token',
      async ({ body, request, requestId, requestIdFrom, set }) => {
        const origin = originOf(request, { requestId, requestIdFrom }, addressOf(request))
        set.headers['cache-control'] = 'no-store'
        return { data: await authorizations.exchange(body.deviceCode, origin) }
      },
      {
        publicAccess: true,
        body: DeviceCodeBody,
        response: { 201: dataOf(CreatedApiKey) },
        errors: [
          'authorization_pending',
          'invalid_credentials',
          'limit_exceeded',
          'not_found',
          'deletion_in_progress',
          'concurrent_change',
          'store_unavailable',
          'service_unavailable',
        ],
        detail: doc(
          'exchangeDeviceCode',
          'Exchange a device code for its API key',
          'Answers 409 `authorization_pending` until a person decides, then the key, once. The key acts for the person who ' +
            'approved. 401 for a code that is unknown, denied, expired or used, and once the session or the key with ' +
            'which it was approved has ended, or the `expiresAt` of the approval has passed.',
        ),
      },
    )
    .get(
      '/api/v1/device-authorizations/:userCode',
      async ({ params }) => ({ data: await authorizations.get(params.userCode) }),
      {
        permission: 'api-keys:create',
        organizationWide: true,
        params: UserCodePath,
        find,
        response: { 200: dataOf(PendingDeviceAuthorization) },
        detail: doc(
          'getDeviceAuthorization',
          'Get a pending request for an API key',
          'By the code that the program shows; 404 once it is decided, or after ten minutes.',
        ),
      },
    )
    .post(
      '/api/v1/device-authorizations/:userCode/approve',
      ({ caller, params, body, record }) => authorizations.approve(caller, params.userCode, body, record),
      {
        permission: 'api-keys:create',
        organizationWide: true,
        resource: 'deviceAuthorization',
        params: UserCodePath,
        find,
        body: DeviceApproval,
        response: { 204: Type.Void() },
        errors: ['limit_exceeded', 'deletion_in_progress', 'concurrent_change'],
        detail: doc(
          'approveDeviceAuthorization',
          'Approve an API key for a program',
          'The program gets a key of this organization that acts for you, within these operations and this scope. ' +
            'Approve only what you have begun yourself, and compare the code.',
        ),
      },
    )
    .post(
      '/api/v1/device-authorizations/:userCode/deny',
      ({ params, record }) => authorizations.deny(params.userCode, record),
      {
        permission: 'api-keys:create',
        organizationWide: true,
        resource: 'deviceAuthorization',
        params: UserCodePath,
        find,
        response: { 204: Type.Void() },
        errors: ['concurrent_change'],
        detail: doc('denyDeviceAuthorization', 'Deny a program an API key', 'Its code is no longer valid.'),
      },
    )
}
