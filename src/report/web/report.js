/* SPDX-License-Identifier: BSD-3-Clause */
/* Draws the charts of a report from the data beside them; without this script their tables remain. */
import * as echarts from "echarts/core";
import { BarChart, CustomChart, LineChart, ScatterChart } from "echarts/charts";
import { AriaComponent, GridComponent, LegendComponent, TooltipComponent } from "echarts/components";
import { SVGRenderer } from "echarts/renderers";

echarts.use([BarChart, CustomChart, LineChart, ScatterChart, AriaComponent, GridComponent, LegendComponent, TooltipComponent,
  SVGRenderer]);

const dark = window.matchMedia("(prefers-color-scheme: dark)");
const narrow = window.matchMedia("(max-width: 40em)");
/* Distinguishable with every common kind of colour blindness (Okabe and Ito), and by shape. */
const colours = {
  light: ["#0072b2", "#d55e00", "#009e73", "#8b5a8c", "#6b5900", "#1f6f8b", "#a23b00", "#444444"],
  dark: ["#56b4e9", "#f0a050", "#4cc9a4", "#d9a3c7", "#e0d060", "#9ad1e8", "#ff9d76", "#cccccc"],
};
const symbols = ["circle", "rect", "triangle", "diamond", "emptyCircle", "emptyRect", "emptyTriangle", "emptyDiamond"];
const drawn = [];
let onPaper = false;
const dashes = ["solid", "dashed", "dotted", [8, 3, 2, 3], [2, 2], [12, 4]];

const units = {
  ns: [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]],
  pps: [[1e6, "Mpps"], [1e3, "kpps"], [1, "pps"]],
  bps: [[1e9, "Gbit/s"], [1e6, "Mbit/s"], [1e3, "kbit/s"], [1, "bit/s"]],
};

function text(value, unit, digits = 4) {
  if (!Number.isFinite(value)) return "–";
  if (unit === "ratio") return `${Number((value * 100).toPrecision(digits))} %`;
  const scale = (units[unit] || []).find(([at]) => Math.abs(value) >= at);
  const number = scale ? value / scale[0] : value;
  return `${Number(number.toPrecision(digits)).toLocaleString("en")}${scale ? ` ${scale[1]}` : unit ? ` ${unit}` : ""}`;
}

/* Percentiles lie by the share that is above: 90, 99, 99.9 are as far from one another. */
const place = (percent) => -Math.log10(Math.max(1 - percent / 100, 1e-5));
const percents = { 0: "0", 1: "90", 2: "99", 3: "99.9", 4: "99.99", 5: "max" };

function axis(label, grid, rest) {
  return {
    name: label, nameLocation: "middle", axisLine: { lineStyle: { color: grid.ink } },
    axisLabel: { color: grid.ink, hideOverlap: true }, nameTextStyle: { color: grid.ink },
    splitLine: { lineStyle: { color: grid.line } }, ...rest,
  };
}

function xAxis(chart, ink) {
  if (chart.xType === "category") {
    return axis(chart.xLabel, ink, { type: "category", data: chart.categories, nameGap: 26 });
  }
  if (chart.xType === "percentile") {
    return axis(chart.xLabel, ink, {
      type: "value", min: 0, max: 5, interval: 1, nameGap: 26,
      axisLabel: { color: ink.ink, formatter: (at) => percents[at] ?? "" },
    });
  }
  return axis(chart.xLabel, ink, { type: "value", nameGap: 26, min: chart.xMin ?? "dataMin", max: chart.xMax ?? "dataMax" });
}

/* Few bars bear their values. */
function labelled(chart, one, ink) {
  const nb = chart.series.length * one.data.length;
  if (one.type !== "bar" || nb > (narrow.matches && !onPaper ? 4 : 12)) return one.data;
  return one.data.map((point) => point && { value: point, label: { show: true, color: ink.ink, fontSize: 11,
    position: point[1] < 0 ? "bottom" : "top", formatter: () => text(point[1], chart.unit, 3) } });
}

function series(chart, one, i, ink) {
  const data = chart.xType === "percentile" ? one.data.map(([x, y]) => [place(x), y]) : labelled(chart, one, ink);
  return {
    name: one.name, type: one.type, data, symbol: symbols[i % symbols.length],
    symbolSize: one.type === "scatter" ? 9 : 6, showSymbol: data.length < 60, barMaxWidth: 56,
    lineStyle: { type: one.dash ? "dashed" : dashes[i % dashes.length], width: 2 },
    connectNulls: false, animation: false, labelLayout: { hideOverlap: true },
  };
}

/* A mean with its error bar: series mean, low and high of the data are one in the picture. */
function errorBar(chart, colour) {
  const [mean, low, high] = ["mean", "low", "high"].map((type) => chart.series.find((s) => s.type === type).data);
  const data = mean.map((point, i) => point && [point[0], point[1], (low[i] ?? point)[1], (high[i] ?? point)[1]]);
  return {
    name: "mean ± 95 %", type: "custom", data: data.filter(Boolean), encode: { x: 0, y: [1, 2, 3] }, z: 1,
    itemStyle: { color: colour },
    renderItem: (_, api) => {
      const [at, top, bottom, middle] = [api.coord([api.value(0), 0])[0],
        ...[3, 2, 1].map((k) => api.coord([api.value(0), api.value(k)])[1])];
      const line = (x1, y1, x2, y2, lineWidth) =>
        ({ type: "line", shape: { x1, y1, x2, y2 }, style: { stroke: colour, lineWidth } });
      return { type: "group", children: [line(at, top, at, bottom, 2), line(at - 8, top, at + 8, top, 2),
        line(at - 8, bottom, at + 8, bottom, 2), line(at - 14, middle, at + 14, middle, 4)] };
    },
  };
}

function allSeries(chart, ink) {
  const single = chart.series.filter((s) => !["mean", "low", "high"].includes(s.type))
    .map((one, i) => series(chart, one, i, ink));
  return single.length < chart.series.length ? [errorBar(chart, ink.ink), ...single] : single;
}

function option(chart) {
  const night = dark.matches && !onPaper;
  const ink = night ? { ink: "#d8dee6", line: "#3a434e" } : { ink: "#333c46", line: "#d5dbe1" };
  return {
    animation: false, backgroundColor: "transparent", color: colours[night ? "dark" : "light"],
    aria: { enabled: true, label: { description: chart.alt }, decal: { show: chart.series.some((s) => s.type === "bar") } },
    grid: { left: 8, right: 20, top: chart.series.length > 1 ? 48 : 24, bottom: 8, outerBoundsMode: "same",
      outerBoundsContain: "all" },
    legend: { show: chart.series.length > 1, top: 0, type: "scroll", textStyle: { color: ink.ink } },
    tooltip: { trigger: chart.xType === "category" ? "axis" : "item", confine: true,
      valueFormatter: (value) => text(Array.isArray(value) ? value[value.length - 1] : value, chart.unit) },
    xAxis: xAxis(chart, ink),
    yAxis: axis(narrow.matches ? "" : chart.yLabel, ink, {
      type: chart.yLog ? "log" : "value", min: chart.yMin, max: chart.yMax, nameGap: 14, nameRotate: 90,
      scale: chart.yLog, axisLabel: { color: ink.ink, formatter: (value) => text(value, chart.unit), hideOverlap: true },
    }),
    series: allSeries(chart, ink),
  };
}


function draw(figure) {
  const box = figure.querySelector(".plot");
  const chart = JSON.parse(figure.querySelector('script[type="application/json"]').textContent);
  const plot = echarts.init(box, null, { renderer: "svg" });
  plot.setOption(option(chart));
  drawn.push([plot, chart]);
}

document.documentElement.classList.add("drawn");
document.querySelectorAll("figure.chart").forEach(draw);
const again = () => onPaper || drawn.forEach(([plot, chart]) => {
  plot.setOption(option(chart), true);
  plot.resize({ width: "auto", height: "auto" });
});
window.addEventListener("resize", again);
/* Paper is light, as wide as it is, and has what stands behind a click of the figures and definitions. */
const closed = [...document.querySelectorAll("details.paper:not([open])")];
window.addEventListener("beforeprint", () => {
  onPaper = true;
  closed.forEach((one) => { one.open = true; });
  drawn.forEach(([plot, chart]) => { plot.setOption(option(chart), true); plot.resize({ width: 680, height: 265 }); });
});
window.addEventListener("afterprint", () => {
  onPaper = false;
  closed.forEach((one) => { one.open = false; });
  again();
});
dark.addEventListener("change", again);
