/** The logo: three players on a stage. */
export const Mark = ({ size = 24 }: { size?: number }) => (
  <svg className="mark" width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
    <rect width="32" height="32" rx="8" className="mark-stage" />
    <g fill="#fff">
      <circle cx="16" cy="9.5" r="3.6" />
      <circle cx="8.5" cy="20.5" r="3.6" opacity=".8" />
      <circle cx="23.5" cy="20.5" r="3.6" opacity=".8" />
    </g>
    <path
      d="M14.2 12.6 10.3 17.4M17.8 12.6l3.9 4.8M12.4 20.5h7.2"
      stroke="#fff"
      strokeWidth="1.6"
      strokeLinecap="round"
    />
  </svg>
)
