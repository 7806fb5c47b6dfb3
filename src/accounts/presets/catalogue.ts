/**
 * The presets of this deployment: those that are built in, and what the operator's file adds or replaces. They are the same
 * for every organization, and change with a new start only. Source: requirement 4.3, 9.3; contract 4, "Presets".
 */
import type { Config } from '../../config.ts'
import { readPresetsFile } from './file.ts'
import { googleWorkspace } from './google-workspace.ts'
import type { Preset, PresetDefinition } from './preset.ts'

export const builtInPresets: readonly PresetDefinition[] = [googleWorkspace]

export class Presets {
  readonly #byKey: ReadonlyMap<string, PresetDefinition>

  /** Of several presets with one key the last one applies. `baseUrl` is known once the server listens. */
  constructor(
    definitions: readonly PresetDefinition[],
    private readonly baseUrl: () => string,
  ) {
    this.#byKey = new Map(definitions.map((definition) => [definition.presetKey, definition]))
  }

  /** Throws `InvalidSetting`, with one line for the operator, when the file cannot be read or is not valid. */
  static async open(
    { presetsFile, allowPrivateAddresses, environment }: Config,
    baseUrl: () => string,
  ): Promise<Presets> {
    const policy = { allowPrivateAddresses, production: environment === 'production' }
    const added = presetsFile === null ? [] : await readPresetsFile(presetsFile, policy)
    return new Presets([...builtInPresets, ...added], baseUrl)
  }

  /** By key. */
  list(): Preset[] {
    return this.keys.map((key) => this.find(key) as Preset)
  }

  /** In the order of the alphabet; never empty. */
  get keys(): string[] {
    return [...this.#byKey.keys()].sort()
  }

  find(presetKey: string): Preset | undefined {
    const definition = this.#byKey.get(presetKey)
    return definition && { ...definition, pkce: true, redirectUri: `${this.baseUrl()}/api/oauth/callback/${presetKey}` }
  }
}
