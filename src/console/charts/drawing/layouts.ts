/** The layout of a statechart: the server's, or one computed here, at most once. */
import { useEffect, useState } from 'react'
import type { ChartLayout, Direction } from '../../../runtime/statecharts/layouts/chart-layout.ts'
import { layOut } from '../../../runtime/statecharts/layouts/graph.ts'
import { layoutKernel } from '../kernel.ts'
import type { ChartModel } from '../model.ts'
import { keepLayout, keptLayout, layoutName } from './kept-layouts.ts'

const known = new Map<string, Promise<ChartLayout>>()

/** Resolves to the layout of a statechart, computed at most once. Rejects if it cannot be computed. */
export function layoutOf(model: ChartModel, direction: Direction): Promise<ChartLayout> {
  if (model.layouts) return Promise.resolve(model.layouts[direction])
  const name = layoutName(model, direction)
  const found = known.get(name)
  if (found) return found
  const kept = keptLayout(name)
  const making = kept
    ? Promise.resolve(kept)
    : layOut(layoutKernel(), model.chart, direction).then((layout) => {
        keepLayout(name, layout)
        return layout
      })
  known.set(name, making)
  making.catch(() => known.delete(name))
  return making
}

interface LaidOut {
  layout: ChartLayout | undefined
  failed: boolean
}

/** The layout of a statechart in a component; undefined until it is loaded. */
export function useLayout(model: ChartModel | undefined, direction: Direction): LaidOut {
  const [laidOut, setLaidOut] = useState<LaidOut & { of: string }>({ of: '', layout: undefined, failed: false })
  const name = model && layoutName(model, direction)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the name identifies the statechart
  useEffect(() => {
    if (!model || name === undefined || model.layouts) return
    let wanted = true
    layoutOf(model, direction).then(
      (layout) => wanted && setLaidOut({ of: name, layout, failed: false }),
      () => wanted && setLaidOut({ of: name, layout: undefined, failed: true }),
    )
    return () => {
      wanted = false
    }
  }, [name])
  if (model?.layouts) return { layout: model.layouts[direction], failed: false }
  return laidOut.of === name ? laidOut : { layout: undefined, failed: false }
}
