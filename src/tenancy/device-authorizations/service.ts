/**
 * Gives a program, such as the command line, an API key with a person's consent in the console. The program requests a
 * key, shows a code and waits; the person approves the request in a session; the program exchanges its secret code for
 * the key, once. No secret is stored in between: the key is created during the exchange, for the person who approved.
 *
 * Source: contract 10, "CLI", `login`; RFC 8628.
 */
import { StaleWrite } from '../../../storage/errors.ts'
import { newId } from '../../../storage/ids.ts'
import type { BackgroundStore, Store } from '../../../storage/store.ts'
import {
  approveAuthorization,
  deleteAuthorization,
  findAuthorizationOfDevice,
  findWaitingAuthorization,
  insertDeviceAuthorization,
  listExpiredAuthorizations,
  refuseAuthorization,
  spendAuthorization,
} from '../../../storage/tenancy/device-authorizations.ts'
import { ApiError, notFound, orNotFound } from '../../platform/http/answers/errors.ts'
import type { AuditSink } from '../../platform/http/changes/audit-trail.ts'
import { commitOr } from '../../platform/http/changes/commit.ts'
import type { RequestRecord } from '../../platform/http/changes/request-record.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import { timestamp } from '../../platform/http/timestamp.ts'
import type { DeviceAuthorizationLimiter } from '../../platform/limits/device-authorizations.ts'
import { forEach, inBatches } from '../../platform/operating/batches.ts'
import { hashSecret, newToken } from '../../platform/secrets/tokens.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { CreatedApiKey } from '../api-keys/schema.ts'
import type { Keys } from '../api-keys/service.ts'
import type { Origin } from '../sessions/origin.ts'
import { newUserCode, readUserCode, shownUserCode } from './codes.ts'
import type { DeviceApproval, DeviceAuthorization, PendingDeviceAuthorization } from './schema.ts'

const lifeMs = 10 * 60 * 1000
/** An approved program has at least this long to exchange its code. */
const exchangeMs = 5 * 60 * 1000
const intervalSeconds = 2
/** The most requests that may wait at a time, in the whole store. */
const waitingMax = 1_000

export interface DeviceAuthorizationsParts {
  store: Store
  clock: Pick<Clock, 'now'>
  audit: AuditSink
  keys: Keys
  deviceLimiter: Pick<DeviceAuthorizationLimiter, 'count'>
  consoleUrl(): string
}

const tooMany = (retryAfterSeconds: number) =>
  new ApiError(429, 'rate_limited', 'This address has asked for too many API keys. Try again later.', {
    retryAfterSeconds,
  })
const full = () =>
  new ApiError(503, 'service_unavailable', 'Too many programs wait for an API key. Try again later.', {
    retryAfterSeconds: 60,
  })
const pending = () =>
  new ApiError(409, 'authorization_pending', 'The request is not decided yet. Ask again after `intervalSeconds`.')
/** The same answer for a code that is unknown, refused, expired or used. */
const invalidCode = () =>
  new ApiError(401, 'invalid_credentials', 'The request was refused, has expired or was used; begin again.')

export class DeviceAuthorizations {
  constructor(private readonly parts: DeviceAuthorizationsParts) {}

  /** Requests an API key. Throws `rate_limited` (429), `service_unavailable` (503). */
  async request(clientName: string, { address }: Origin): Promise<DeviceAuthorization> {
    const { store, clock, deviceLimiter, consoleUrl } = this.parts
    const seconds = await deviceLimiter.count(address)
    if (seconds > 0) throw tooMany(seconds)
    const now = clock.now()
    const deviceCode = newToken()
    const userCode = newUserCode()
    const insertion = insertDeviceAuthorization(store, {
      id: newId('dva', now),
      device_code_hash: hashSecret(deviceCode),
      user_code: userCode,
      client_name: clientName,
      address: address ?? null,
      organization_id: null,
      approved_by: null,
      approved_with: null,
      new_key: null,
      created_at: now,
      expires_at: now + lifeMs,
      max: waitingMax,
    })
    // two equal codes at a time are practically impossible; the program would ask again
    await commitOr(store, { stale: full, unique: full }, [insertion])
    const verificationUrl = `${consoleUrl()}/device`
    return {
      deviceCode,
      userCode: shownUserCode(userCode),
      verificationUrl,
      verificationUrlComplete: `${verificationUrl}?code=${shownUserCode(userCode)}`,
      expiresAt: timestamp(now + lifeMs),
      intervalSeconds,
    }
  }

  /** The pending request, for the person who decides. Throws `notFound`. */
  async get(userCode: string): Promise<PendingDeviceAuthorization> {
    const found = await this.#waiting(userCode)
    return {
      userCode: shownUserCode(readUserCode(userCode)),
      clientName: found.client_name,
      address: found.address,
      createdAt: timestamp(found.created_at),
      expiresAt: timestamp(found.expires_at),
    }
  }

  /** Approves a key of the caller's organization. Throws `notFound`, `validation_failed` and as `Keys.create`. */
  async approve(caller: Caller, userCode: string, asked: DeviceApproval, record: RequestRecord): Promise<void> {
    const { store, clock, keys } = this.parts
    const { id, client_name: name, expires_at: expiresAt } = await this.#waiting(userCode)
    await keys.assertCreatable(caller, { ...asked, name })
    const approval = approveAuthorization(store, {
      id,
      organizationId: caller.organizationId,
      approvedBy: caller.userId,
      approvedWith: caller.credentialId,
      newKey: JSON.stringify(asked),
      expiresAt: Math.max(expiresAt, clock.now() + exchangeMs),
    })
    await commitOr(store, { stale: notFound, missing: notFound }, [approval, ...record({ data: { id } })])
  }

  /** Denies the request. Throws `notFound`. */
  async deny(userCode: string, record: RequestRecord): Promise<void> {
    const { store } = this.parts
    const { id } = await this.#waiting(userCode)
    await commitOr(store, { stale: notFound }, [refuseAuthorization(store, { id }), ...record({ data: { id } })])
  }

  /**
   * Creates the key, once. Throws `authorization_pending` (409) until a person has decided, `invalid_credentials` (401)
   * for a code that is unknown, refused, expired or used, whose approval was given with a credential that has ended
   * since, or whose key would have expired, and the errors of `Keys.create`.
   */
  async exchange(deviceCode: string, { address, requestId, requestIdFrom }: Origin): Promise<CreatedApiKey> {
    const { store, clock, audit, keys } = this.parts
    const deviceCodeHash = hashSecret(deviceCode)
    const found = await store.first(findAuthorizationOfDevice(store, { deviceCodeHash, now: clock.now() }))
    if (!found) throw invalidCode()
    const { id, client_name: name, organization_id: organizationId, approved_by: userId, new_key: newKey } = found
    const { approved_with: approvedWith } = found
    if (organizationId === null || userId === null || newKey === null) throw pending()
    const created = ({ data }: { data?: { id?: string } } = {}) =>
      audit.write({
        organizationId,
        actor: { type: 'user', id: userId },
        ip: address ?? null,
        operation: 'exchangeDeviceCode',
        resource: { type: 'apiKey', id: data?.id ?? null },
        outcome: 'allowed',
        requestId,
        requestIdFrom,
        changed: ['name', 'operations'],
      })
    try {
      return await keys.create(
        { organizationId, userId, ...(approvedWith !== null && { credentialId: approvedWith }) },
        { ...(JSON.parse(newKey) as DeviceApproval), name },
        (answer) => [spendAuthorization(store, { id }), created(answer as object)],
      )
    } catch (error) {
      // exchanged concurrently, or the person has left the organization, or ended the session of the approval
      if (error instanceof StaleWrite) throw invalidCode()
      // the key that was approved would have expired by now
      if (error instanceof ApiError && error.code === 'validation_failed') throw invalidCode()
      throw error
    }
  }

  async #waiting(userCode: string) {
    const { store, clock } = this.parts
    const waiting = findWaitingAuthorization(store, { userCode: readUserCode(userCode), now: clock.now() })
    return orNotFound(await store.first(waiting))
  }
}

/** Deletes up to `limit` expired requests; returns how many. Called periodically. */
export const pruneDeviceAuthorizations = (store: BackgroundStore, now: number, limit: number): Promise<number> =>
  inBatches(limit, async (some) =>
    forEach(await store.all(listExpiredAuthorizations(store, { now, limit: some })), (authorization) =>
      store.commit([deleteAuthorization(store, authorization)]),
    ),
  )
