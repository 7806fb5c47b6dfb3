/** Stacked bars over time, drawn by uPlot on a canvas. Loaded on demand. */
import { useEffect, useRef, useSyncExternalStore } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'

export interface Series {
  title: string
  /** Name of a colour token: `--good`. */
  token: string
  values: readonly number[]
}

export interface PlotProps {
  /** Start of each bar, in epoch milliseconds. */
  times: readonly number[]
  series: readonly Series[]
  height?: number
  /** Formats values on the axis; whole numbers by default. */
  format?: (value: number) => string
}

const theme = {
  subscribe(changed: () => void) {
    const observer = new MutationObserver(changed)
    observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] })
    return () => observer.disconnect()
  },
  read: () => document.documentElement.dataset.theme ?? '',
}

/** Cumulative series, highest first: lower ones are drawn over them. */
function stackedOf(series: readonly Series[]): number[][] {
  const sums: number[][] = []
  for (const { values } of series) sums.push(values.map((value, place) => value + (sums.at(-1)?.[place] ?? 0)))
  return sums.reverse()
}

const hourMs = 3_600_000
const widthOf = ([first, second]: readonly number[]) =>
  first === undefined || second === undefined ? hourMs : second - first

const clock = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', hour12: false })
const date = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric' })

/** The time of day, or the date at midnight and for whole days. */
function labelsOf(splits: readonly number[]): string[] {
  const step = (splits[1] ?? 0) - (splits[0] ?? 0)
  return splits.map((at, place) => {
    const day = date.format(at * 1000)
    if (step >= 86_400) return day
    const before = splits[place - 1]
    return before !== undefined && date.format(before * 1000) !== day ? day : clock.format(at * 1000)
  })
}

export default function Plot({ times, series, height = 220, format }: PlotProps) {
  const frame = useRef<HTMLDivElement>(null)
  const look = useSyncExternalStore(theme.subscribe, theme.read)
  const content = JSON.stringify([times, series, format?.(0)])

  // biome-ignore lint/correctness/useExhaustiveDependencies: the text identifies the figures, the theme the colours
  useEffect(() => {
    const element = frame.current
    // without a canvas the figures are shown as a table
    if (!element || !document.createElement('canvas').getContext('2d')) return
    const style = getComputedStyle(document.documentElement)
    const colour = (token: string) => style.getPropertyValue(token).trim()
    const axis = {
      stroke: colour('--ink-faint'),
      grid: { stroke: colour('--line'), width: 1 },
      ticks: { show: false },
      font: `12px ${style.getPropertyValue('--font')}`,
    }
    const plot = new uPlot(
      {
        width: element.clientWidth,
        height,
        cursor: { show: false },
        legend: { show: false },
        padding: [8, 24, 0, 0],
        scales: {
          // the last bar is as wide as the others
          x: { range: (_, first, last) => [first, last + widthOf(times) / 1000] },
          y: { range: (_, __, max) => [0, format ? max || 1 : Math.max(1, max)] },
        },
        axes: [
          { ...axis, grid: { show: false }, size: 30, space: 80, values: (_, splits) => labelsOf(splits) },
          format
            ? { ...axis, size: 72, values: (_, splits) => splits.map(format) }
            : { ...axis, size: 44, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500] },
        ],
        series: [
          {},
          ...[...series].reverse().map(({ title, token }) => ({
            label: title,
            fill: colour(token),
            width: 0,
            points: { show: false },
            paths: uPlot.paths.bars!({ size: [0.72, 40], align: 1, radius: 0.06 }),
          })),
        ],
      },
      [times.map((at) => at / 1000), ...stackedOf(series)] as uPlot.AlignedData,
      element,
    )
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }))
    observer.observe(element)
    return () => {
      observer.disconnect()
      plot.destroy()
    }
  }, [content, height, look])

  return <div ref={frame} className="overview-plot" style={{ height }} aria-hidden="true" />
}
