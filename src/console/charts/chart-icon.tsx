/** Icons of a chart's tools. */
import { LineDrawing } from '../ui/text/line-drawing.tsx'

const paths = {
  closer: 'M12 5v14M5 12h14',
  farther: 'M5 12h14',
  whole: 'M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5',
  full: 'M14 4h6v6M20 4l-7 7M10 20H4v-6M4 20l7-7',
  down: 'M12 5v14M6 13l6 6 6-6',
  right: 'M5 12h14M13 6l6 6-6 6',
  play: 'M8 5.5l10 6.5-10 6.5z',
  pause: 'M9 6v12M15 6v12',
  previous: 'M17 6l-8 6 8 6zM6 6v12',
  next: 'M7 6l8 6-8 6zM18 6v12',
} as const

export type ChartIconName = keyof typeof paths

export const ChartIcon = ({ name }: { name: ChartIconName }) => <LineDrawing path={paths[name]} />
