/**
 * The layouts of the built-in statecharts. They are made when a statechart changes, and come with the server:
 *
 *     bun src/runtime/statecharts/layouts/generate.ts
 */
import layouts from './built-in.json' with { type: 'json' }
import type { ChartLayouts } from './chart-layout.ts'

interface BuiltIn extends ChartLayouts {
  /** Of what the layouts were made of. */
  digest: string
}

const builtIn = new Map(Object.entries(layouts as unknown as Record<string, BuiltIn>))

/** The layouts of that kind's statechart; null where it is not built in. */
export function layoutsOf(kind: string): ChartLayouts | null {
  const found = builtIn.get(kind)
  return found ? { down: found.down, right: found.right } : null
}

/** Of each kind, what its layouts were made of: `digestOf` says whether that has changed. */
export const builtInDigests = (): Map<string, string> =>
  new Map([...builtIn].map(([kind, { digest }]) => [kind, digest]))
