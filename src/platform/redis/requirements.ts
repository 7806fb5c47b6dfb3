/** The requirements on Redis, checked by its own description. Source: scaling, "What you need". */

/**
 * The minimum version of Redis; servers that speak its protocol report a compatible version: Valkey, Dragonfly, KeyDB.
 */
const versionMin = [6, 2] as const

export interface Finding {
  /** Why the server cannot be used. */
  refusal?: string
  /** What the operator should change. */
  warning?: string
}

/** Checks the answer to `INFO`; a requirement about which it says nothing counts as met. */
export function checkRequirements(info: string): Finding {
  const of = (name: string) => new RegExp(`^${name}:(.+?)\\r?$`, 'm').exec(info)?.[1]
  const version = of('redis_version')
  if (version !== undefined && isOlder(version))
    return { refusal: `Redis ${version} is too old; version ${versionMin.join('.')} or later is needed.` }
  const policy = of('maxmemory_policy')
  if (policy !== undefined && policy !== 'noeviction')
    return {
      warning: `Redis may drop leases and limits before their time: its maxmemory-policy is ${policy}, not noeviction.`,
    }
  return {}
}

function isOlder(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (Number.isNaN(major)) return false
  return major < versionMin[0] || (major === versionMin[0] && minor < versionMin[1])
}
