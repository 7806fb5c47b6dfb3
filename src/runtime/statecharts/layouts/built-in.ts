/**
 * The layouts of the built-in statecharts, generated after each change of a statechart, and shipped with the server:
 *
 *     bun src/runtime/statecharts/layouts/generate.ts
 */
import layouts from './built-in.json' with { type: 'json' }
import type { ChartLayouts } from './chart-layout.ts'

interface BuiltIn extends ChartLayouts {
  /** The digest of the input of the layouts. */
  digest: string
}

const builtIn = new Map(Object.entries(layouts as unknown as Record<string, BuiltIn>))

/** The layouts of the kind's statechart; null if it is not built in. */
export function layoutsOf(kind: string): ChartLayouts | null {
  const found = builtIn.get(kind)
  return found ? { down: found.down, right: found.right } : null
}

/** The digest of each kind's input; `digestOf` shows whether it has changed. */
export const builtInDigests = (): Map<string, string> =>
  new Map([...builtIn].map(([kind, { digest }]) => [kind, digest]))
