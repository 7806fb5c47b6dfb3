/** The operator's presets: a JSON list, checked from end to end before the server starts. Source: contract 4, "OAuth". */
import { Type } from '@sinclair/typebox'
import { inspector } from '../../platform/http/validation/validation.ts'
import { InvalidSetting } from '../../platform/operating/variable.ts'
import type { OutboundPolicy } from '../../platform/outbound/policy.ts'
import { AddressRefused, assertUrlAllowed } from '../../platform/outbound/url.ts'
import { PresetDefinition } from './preset.ts'

const bytesMax = 256 * 1024
const presetsMax = 50

const inspect = inspector(Type.Array(PresetDefinition, { maxItems: presetsMax }), '', 1)
const addresses = ['authorizationEndpoint', 'tokenEndpoint', 'userinfoEndpoint', 'issuer', 'apiBaseUrl'] as const

/** The problem and its place: `/0/tokenEndpoint`. */
const refused = (path: string, message: string, options?: ErrorOptions) =>
  new InvalidSetting(`TROUPE_PRESETS_FILE: ${path}: ${message}`, options)

/** The presets of the file. Throws `InvalidSetting`, which names the place in the file. */
export async function readPresetsFile(path: string, policy: OutboundPolicy): Promise<PresetDefinition[]> {
  const list = parsed(path, await textOf(path))
  const [issue] = inspect(list)
  if (issue) throw refused(path, `${issue.path || '/'}: ${issue.message}`)
  const presets = list as PresetDefinition[]
  presets.forEach((preset, index) => {
    if (presets.findIndex(({ presetKey }) => presetKey === preset.presetKey) !== index) {
      throw refused(path, `/${index}/presetKey: ${preset.presetKey} is there twice.`)
    }
    if (preset.issuer === undefined && preset.userinfoEndpoint === undefined) {
      const { presetKey } = preset
      throw refused(
        path,
        `/${index}: ${presetKey} needs issuer or userinfoEndpoint: without one no account can be told.`,
      )
    }
    assertAddresses(preset, policy, (field, message) => refused(path, `/${index}/${field}: ${message}`))
    const names = new Set(preset.scopes.map(({ name }) => name))
    const unknown = preset.defaultScopes.findIndex((scope) => !names.has(scope))
    if (unknown >= 0) throw refused(path, `/${index}/defaultScopes/${unknown}: Is none of the scopes.`)
  })
  return presets
}

/** The same rules as for any address that the server talks to. */
function assertAddresses(
  preset: PresetDefinition,
  policy: OutboundPolicy,
  explain: (field: string, message: string) => Error,
): void {
  for (const field of addresses) {
    const address = preset[field]
    if (address === undefined) continue
    try {
      assertUrlAllowed(address, policy)
    } catch (error) {
      if (!(error instanceof AddressRefused)) throw error
      throw explain(field, error.message)
    }
  }
}

async function textOf(path: string): Promise<string> {
  const file = Bun.file(path)
  try {
    const { size } = await file.stat()
    if (size > bytesMax) throw refused(path, `Has more than ${bytesMax} bytes.`)
    return await file.text()
  } catch (cause) {
    if (cause instanceof InvalidSetting) throw cause
    throw refused(path, 'Cannot be read.', { cause })
  }
}

function parsed(path: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw refused(path, 'Is not JSON.', { cause })
  }
}
