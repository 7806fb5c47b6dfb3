/** The visible part of a chart: the whole chart if its text is legible, else the part around the current state, which it follows. */
import { useReactFlow, useStore } from '@xyflow/react'
import { type RefObject, useCallback, useEffect, useRef } from 'react'
import type { ChartLayout } from '../../runtime/statecharts/layouts/chart-layout.ts'
import { labelFont, stateFont } from '../../runtime/statecharts/layouts/text-metrics.ts'
import { placeOf } from './drawing/room.ts'
import type { Lit } from './lit.ts'
import type { ChartModel } from './model.ts'

interface Looking {
  model: ChartModel
  layout: ChartLayout
  lit: Lit
  small: boolean
}

interface View {
  showAll(): void
  /** Whether the user has moved the chart; the view then stays. */
  lookAround(): void
  /** Zoomed out too far for the labels of edges. */
  isFar: boolean
  /** Whether the overview map is shown: the chart is not wholly visible, and has the space for a map. */
  isMapped: boolean
  /** Font size of state names, in the chart's coordinates. */
  namePx: number
}

/** The smallest text on the screen. */
const textPxMin = 11
/** Below this zoom the labels of edges are hidden, and names of states are enlarged. */
const zoomOfWords = textPxMin / labelFont
/** The largest names of states; they have to fit their boxes. */
const namePxMax = 18
/** The smallest zoom; below it names would be illegible. */
export const zoomMin = textPxMin / namePxMax
const zoomMax = 1
/** A chart that fits at this zoom or a larger one opens whole, though the labels of its edges are hidden. */
const zoomOfWhole = 0.75

/** The height of the tools, or of the notes on a small chart, at the top. */
const topPx = 40

/** Size of the overview map, in pixels. */
export const mapSize = (small: boolean) => (small ? { width: 96, height: 64 } : { width: 132, height: 88 })
/** On a narrower chart, an overview map would cover the states that it is about. */
const smallWithMapPx = 480
const hasMap = (small: boolean, width: number) => !small || width >= smallWithMapPx
/** The height of the overview map at the bottom, shown when the chart is not wholly visible. */
const mapPx = (small: boolean, width: number) => (hasMap(small, width) ? mapSize(small).height + 16 : 0)

/** The space for a chart, below the tools. */
function sizeOf(frame: RefObject<HTMLElement | null>): { width: number; height: number } {
  const { width, height } = frame.current?.getBoundingClientRect() ?? { width: 0, height: 0 }
  return { width, height: Math.max(0, height - topPx) }
}

const moveMs = () => (globalThis.matchMedia?.('(prefers-reduced-motion: reduce)').matches ? 0 : 450)

export function useView(frame: RefObject<HTMLElement | null>, { model, layout, lit, small }: Looking): View {
  const { setViewport, getViewport } = useReactFlow()
  const zoom = useStore(({ transform }) => transform[2])
  const frameWidth = useStore(({ width }) => width)
  const frameHeight = useStore(({ height }) => height)
  const isWhole = useStore(({ transform: [x, y, scale], width, height }) => {
    const slack = 24
    return (
      x > -slack && y > -slack && x + layout.width * scale < width + slack && y + layout.height * scale < height + slack
    )
  })
  const home = lit.active ?? model.states.find(({ isInitial }) => isInitial)?.name
  const latestHome = useRef(home)
  latestHome.current = home

  const latestCenter = useRef<(name: string, zoom: number, duration: number) => void>(() => {})
  const fit = useCallback(
    (duration: number) => {
      const { width, height } = sizeOf(frame)
      const zoom = Math.min(width / layout.width, height / layout.height, zoomMax)
      // a larger chart is shown in part, at the smallest zoom at which its names are legible
      if (zoom < zoomMin && latestHome.current !== undefined)
        return latestCenter.current(latestHome.current, zoomMin, duration)
      const x = (width - layout.width * zoom) / 2
      const y = (height - layout.height * zoom) / 2 + topPx
      void setViewport({ x, y, zoom }, { duration })
    },
    [frame, layout, setViewport],
  )
  const center = useCallback(
    (name: string, zoom: number, duration: number) => {
      const box = layout.states[name]
      if (!box) return
      const { width, height } = sizeOf(frame)
      const x = placeOf(box.x + box.width / 2, layout.width, width, zoom)
      const isWhole = layout.width * zoom <= width && layout.height * zoom <= height
      const bottom = layout.height + (isWhole ? 0 : mapPx(small, width) / zoom)
      const y = placeOf(box.y + box.height / 2, bottom, height, zoom) + topPx
      void setViewport({ x, y, zoom }, { duration })
    },
    [frame, layout, small, setViewport],
  )

  latestCenter.current = center

  const settle = useCallback(() => {
    const { width, height } = sizeOf(frame)
    const scale = Math.min(width / layout.width, height / layout.height)
    const name = latestHome.current
    // a small one is for its states: it shows as many as are legible
    if (small || scale >= zoomOfWhole || name === undefined) fit(0)
    else center(name, zoomMax, 0)
  }, [layout, small, frame, fit, center])

  // a new layout is shown from its beginning; a resize keeps the view, unless the user has moved it
  const stance = useRef<'settled' | 'whole' | 'own'>('settled')
  const latestLayout = useRef(layout)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the frame is measured again when its size changes
  useEffect(() => {
    if (latestLayout.current !== layout) stance.current = 'settled'
    latestLayout.current = layout
    if (stance.current === 'settled') settle()
    if (stance.current === 'whole') fit(0)
  }, [layout, settle, fit, frameWidth, frameHeight])

  // keep the current state visible
  const { active } = lit
  useEffect(() => {
    const box = active === null ? undefined : layout.states[active]
    const { width, height } = sizeOf(frame)
    if (!box || active === null || width === 0) return
    const { x, y, zoom: scale } = getViewport()
    const left = x + box.x * scale
    const top = y + box.y * scale - topPx
    const isSeen = left >= 0 && top >= 0 && left + box.width * scale <= width && top + box.height * scale <= height
    if (!isSeen) center(active, scale, moveMs())
  }, [active, layout, frame, getViewport, center])

  const isFar = zoom < zoomOfWords
  return {
    showAll() {
      stance.current = 'whole'
      fit(200)
    },
    lookAround() {
      stance.current = 'own'
    },
    isFar,
    isMapped: !isWhole && hasMap(small, frameWidth),
    namePx: isFar ? Math.min(namePxMax, Math.max(stateFont, textPxMin / zoom)) : stateFont,
  }
}
