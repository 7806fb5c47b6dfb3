/** The platform of all wings: the store, secrets, leases, mails, and outbound requests. */
import packageJson from '../../package.json'
import { openStore } from '../../storage/open.ts'
import type { Config } from '../config.ts'
import { at } from '../console/places.ts'
import { Hints } from '../platform/bus/hints.ts'
import { openBus } from '../platform/bus/open-bus.ts'
import { openLeases } from '../platform/leases/open-leases.ts'
import { Mails } from '../platform/mail/mails.ts'
import { OneMember } from '../platform/members/members.ts'
import { assertOneRedis } from '../platform/members/one-redis.ts'
import { SharedMembers } from '../platform/members/shared-members.ts'
import type { Logger } from '../platform/operating/logger.ts'
import { OutboundClient } from '../platform/outbound/client.ts'
import { selfTest } from '../platform/outbound/self-test.ts'
import { namespaceOf } from '../platform/redis/namespace.ts'
import type { KeyRing } from '../platform/secrets/keyring.ts'
import { Vault } from '../platform/secrets/vault.ts'
import type { Clock } from '../platform/time/clock.ts'

/** The client for addresses that tenants set; a self-test checks that it refuses forbidden addresses. */
export async function openOutbound(config: Config, logger: Logger) {
  const outboundPolicy = {
    allowPrivateAddresses: config.allowPrivateAddresses,
    production: config.environment === 'production',
  }
  const outbound = new OutboundClient(outboundPolicy)
  await selfTest(outbound)
  if (config.allowPrivateAddresses) logger.info('tenants may name private addresses: TROUPE_ALLOW_PRIVATE_ADDRESSES')
  return { outboundPolicy, outbound }
}

interface OpenPlatformParts {
  config: Config
  logger: Logger
  clock: Clock
  ring: KeyRing
  /** The console's origin; known once the server listens. */
  consoleUrl(): string
  onError(error: unknown, what: string): void
}

export async function openPlatform({ config, logger, clock, ring, consoleUrl, onError }: OpenPlatformParts) {
  const notices: string[] = []
  const redisUrl = config.redisUrl?.reveal()
  const store = await openStore(
    config.store,
    (line) => void notices.push(line),
    redisUrl === undefined ? 'alone' : 'beside',
  )
  // before anything else is read or written: with wrong master keys the store stays unchanged
  const vault = await Vault.open({ store, clock, onError }, ring).catch(async (error: unknown) => {
    await store.close()
    throw error
  })
  for (const notice of notices) logger.warn(notice)
  const { version } = packageJson
  const members = store.membership
    ? await SharedMembers.join({
        membership: store.membership,
        isShared: redisUrl !== undefined,
        version,
        publicUrl: config.publicUrl,
        ring,
        now: () => clock.now(),
        onError,
      }).catch(async (error: unknown) => {
        await store.close()
        throw error
      })
    : new OneMember(clock, version)
  const leave = async (error: unknown) => {
    await members.leave().catch(() => {})
    await store.close()
    throw error
  }
  const namespace = namespaceOf(members)
  const leases = await openLeases({ ...(redisUrl ? { redisUrl } : {}), namespace, log: logger }).catch(leave)
  const bus = await openBus({ members, redisUrl, now: () => clock.now(), log: logger })
  const hints = new Hints(bus)
  await assertOneRedis(members, hints).catch(async (error: unknown) => {
    bus.close()
    await leases.close()
    return leave(error)
  })
  if (members instanceof SharedMembers) {
    // the server that detects a death notifies the others, which take over its work at once
    members.onLoss(() => hints.tell('members', members.storeId))
    hints.on('members', () => members.lookSoon())
  }
  return {
    store,
    members,
    bus,
    hints,
    vault,
    mails: Mails.open({ config, ring, store, clock, logger, members, consoleUrl, pathOf: at }),
    redisUrl,
    leases,
  }
}
