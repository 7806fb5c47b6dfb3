/** Props of the charts for any page; see `lazy.ts`. */

export interface ActorChartProps {
  /** As in `GET /api/v1/actors/{kind}/{id}`. */
  kind: string
  id: string
  /** In pixels; 320 by default. */
  height?: number
}

export interface MachineChartProps {
  /** As in `GET /api/v1/machines/{kind}`. */
  kind: string
  activeState?: string
  /** In pixels; 320 by default. */
  height?: number
}
