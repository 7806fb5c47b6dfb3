/** Lines with bends, as SVG paths with rounded corners. */
import type { Point } from '../../../runtime/statecharts/layouts/chart-layout.ts'

const radiusMax = 8

const distance = (a: Point, b: Point) => Math.hypot(a.x - b.x, a.y - b.y)

/** The point at this distance from `from` towards `to`. */
function towards(from: Point, to: Point, length: number): Point {
  const whole = distance(from, to)
  if (whole === 0) return from
  const part = length / whole
  return { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part }
}

const number = (value: number) => String(Math.round(value * 10) / 10)
const at = ({ x, y }: Point) => `${number(x)},${number(y)}`

/** `M10,20 L40,20 Q48,20 48,28 L48,60` */
export function roundedPath(points: readonly Point[]): string {
  const [first, ...rest] = points
  if (!first) return ''
  const parts = [`M${at(first)}`]
  for (const [place, point] of rest.entries()) {
    const before = points[place] as Point
    const after = points[place + 2]
    if (!after) {
      parts.push(`L${at(point)}`)
      continue
    }
    const radius = Math.min(radiusMax, distance(before, point) / 2, distance(point, after) / 2)
    parts.push(`L${at(towards(point, before, radius))}`, `Q${at(point)} ${at(towards(point, after, radius))}`)
  }
  return parts.join(' ')
}

/** The head of an arrow at the end of a line, as the points of a triangle. */
export function arrowHead(points: readonly Point[], size = 8): string {
  const end = points.at(-1)
  const before = points.at(-2)
  if (!end || !before) return ''
  const back = towards(end, before, size)
  const across = { x: (back.y - end.y) * 0.45, y: (end.x - back.x) * 0.45 }
  return [
    at(end),
    at({ x: back.x + across.x, y: back.y + across.y }),
    at({ x: back.x - across.x, y: back.y - across.y }),
  ].join(' ')
}
