/** Several processes that use the tokens of one store, beside the server that created the Connections. */
import { ClientSecrets } from '../../../src/accounts/integrations/client-secrets.ts'
import { Refreshes } from '../../../src/accounts/oauth/refreshes.ts'
import { GrantTokens } from '../../../src/accounts/oauth/tokens.ts'
import type { Preset } from '../../../src/accounts/presets/preset.ts'
import { OutboundClient } from '../../../src/platform/outbound/client.ts'
import { loadMasterKeys } from '../../../src/platform/secrets/keyring.ts'
import { Vault } from '../../../src/platform/secrets/vault.ts'
import { AuditLog } from '../../../src/tenancy/audit/log.ts'
import { StoreUnavailable } from '../../../storage/errors.ts'
import { openBeside } from '../../../storage/open.ts'
import type { Write } from '../../../storage/store.ts'
import type { World } from './world.ts'

const nowhere = { error: () => {}, warn: () => {} }

/** They use the file of a running server, as several servers would use one database. */
export async function openProcesses({ file, clock, odd }: Pick<World, 'file' | 'clock' | 'odd'>) {
  const opened = await openBeside(`sqlite:${file}`)
  let before: (() => Promise<unknown>) | undefined
  const commit = async (unit: readonly Write[]) => {
    const work = before
    before = undefined
    await work?.()
    return opened.commit(unit)
  }
  const store = new Proxy(opened, {
    get(target, name) {
      const value: unknown = name === 'commit' ? commit : Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  const keys = loadMasterKeys({ masterKeys: null, environment: 'test', store: `sqlite:${file}` })
  const vault = await Vault.open({ store, clock, onError() {} }, keys)
  const outbound = new OutboundClient({ allowPrivateAddresses: true, production: false })
  const preset = { presetKey: 'odd', tokenEndpoint: `${odd.url}/token` } as Preset

  const newProcess = (timeoutMs: number) => {
    const refreshes = new Refreshes({
      store,
      clock,
      vault,
      logger: nowhere,
      provider: { outbound, timeoutMs },
      clients: new ClientSecrets({ store, vault }),
      presets: { find: (key) => (key === 'odd' ? preset : undefined) },
      audit: new AuditLog({ store, clock, logger: nowhere }),
    })
    return new GrantTokens({ store, clock, vault, refreshes })
  }
  return {
    one: newProcess(60_000),
    other: newProcess(60_000),
    /** Sets the provider timeout close to zero. */
    hasty: newProcess(200),
    /** The next commit waits for this, and fails with it. */
    beforeCommit: (work: () => Promise<unknown>) => {
      before = work
    },
    /** The next commit fails with the store unavailable. */
    loseStore: () => {
      before = () => Promise.reject(new StoreUnavailable('The store is locked.'))
    },
    stop: () => opened.close(),
  }
}
