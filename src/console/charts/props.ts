/** Props of the chart for any page; see `lazy.ts`. */

export interface ActorChartProps {
  /** As in `GET /api/v1/actors/{kind}/{id}`. */
  kind: string
  id: string
  /** In pixels; 320 by default. */
  height?: number
}
