/** The room for a drawing on the page, and its place in there. */
import type { Direction } from '../../../runtime/statecharts/layouts/chart-layout.ts'

/** Direction of a small chart: horizontal on a wide screen. */
export const roomyDirection = (): Direction => (globalThis.innerWidth < 720 ? 'down' : 'right')

/** The height in pixels of a small chart that has this height on a wide screen: a vertical one needs more. */
export const roomyHeight = (heightPx: number): number =>
  roomyDirection() === 'down' ? Math.round(heightPx * 1.8) : heightPx

/** The offset of a drawing in its frame that centers a point, without empty space beside it. */
export function placeOf(middle: number, drawing: number, frame: number, zoom: number): number {
  const room = frame - drawing * zoom
  return room >= 0 ? room / 2 : Math.min(0, Math.max(room, frame / 2 - middle * zoom))
}
