//! One opened page.

use anyhow::{Context, Result, bail};
use headless_chrome::browser::tab::point::Point;
use headless_chrome::protocol::cdp::types::Event;
use headless_chrome::protocol::cdp::{Emulation, Network, Page as Cdp, Runtime};
use headless_chrome::types::PrintToPdfOptions;
use headless_chrome::{Browser, Tab};
use serde::de::DeserializeOwned;
use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// What every script of a check may use.
const COMMON: &str = include_str!("common.js");

/// How long a page may take to load.
const LOADING: Duration = Duration::from_secs(30);

/// How a page is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setup {
    /// Width of the window in CSS pixels.
    pub width_px: u32,
    /// Height of the window in CSS pixels.
    pub height_px: u32,
    /// Whether the reader prefers dark colours.
    pub dark: bool,
    /// Whether it is laid out for paper.
    pub print: bool,
    /// Whether its scripts run.
    pub scripts: bool,
}

impl Setup {
    /// A desktop's window, in light colours.
    pub const WIDE: Self =
        Self { width_px: 1200, height_px: 900, dark: false, print: false, scripts: true };
    /// A small telephone's.
    pub const NARROW: Self = Self { width_px: 360, height_px: 740, ..Self::WIDE };
    /// A desktop's window, in dark colours.
    pub const DARK: Self = Self { dark: true, ..Self::WIDE };
    /// A page of A4 paper, of a reader who prefers dark colours on the screen.
    pub const PRINT: Self = Self { width_px: 794, dark: true, print: true, ..Self::WIDE };
    /// A desktop's window, without scripts.
    pub const SCRIPTLESS: Self = Self { scripts: false, ..Self::WIDE };
}

/// A page that has been loaded; it is closed with this value.
pub struct Page {
    tab: Arc<Tab>,
}

impl Page {
    pub(crate) fn open(
        browser: &Browser,
        url: &str,
        setup: Setup,
        hear: impl Fn(&Event) + Send + Sync + 'static,
    ) -> Result<Self> {
        let page = Self { tab: browser.new_tab().context("no new tab")? };
        page.tab.add_event_listener(Arc::new(hear))?;
        page.tab.enable_runtime()?.enable_log()?;
        page.tab.call_method(Network::Enable {
            max_total_buffer_size: None,
            max_resource_buffer_size: None,
            max_post_data_size: None,
            report_direct_socket_traffic: None,
            enable_durable_messages: None,
        })?;
        page.set_up(setup)?;
        page.tab.navigate_to(url)?;
        let loaded = format!(
            "return document.readyState === 'complete' && location.href === {}",
            serde_json::Value::from(url)
        );
        page.wait_for(&loaded, LOADING)?;
        Ok(page)
    }

    fn set_up(&self, setup: Setup) -> Result<()> {
        self.resize(setup.width_px, setup.height_px)?;
        self.tab.call_method(Emulation::SetEmulatedMedia {
            media: setup.print.then(|| "print".to_owned()),
            features: Some(vec![Emulation::MediaFeature {
                name: "prefers-color-scheme".to_owned(),
                value: if setup.dark { "dark" } else { "light" }.to_owned(),
            }]),
        })?;
        let off = Emulation::SetScriptExecutionDisabled { value: !setup.scripts };
        self.tab.call_method(off)?;
        Ok(())
    }

    /// Gives the window another size, in CSS pixels.
    pub(crate) fn resize(&self, width_px: u32, height_px: u32) -> Result<()> {
        self.tab.call_method(Emulation::SetDeviceMetricsOverride {
            width: width_px,
            height: height_px,
            device_scale_factor: 1.0,
            mobile: false,
            scale: None,
            screen_width: None,
            screen_height: None,
            position_x: None,
            position_y: None,
            dont_set_visible_size: None,
            screen_orientation: None,
            viewport: None,
            display_feature: None,
            device_posture: None,
        })?;
        Ok(())
    }

    /// What the body of a function returns, or promises, in the page.
    ///
    /// # Errors
    ///
    /// If it throws, or returns something else than was expected.
    pub fn ask<T: DeserializeOwned>(&self, body: &str) -> Result<T> {
        let answer = self.tab.call_method(Runtime::Evaluate {
            expression: format!("(async () => {{\n{COMMON}\n{body}\n}})()"),
            return_by_value: Some(true),
            await_promise: Some(true),
            user_gesture: Some(true),
            object_group: None,
            include_command_line_api: None,
            silent: None,
            context_id: None,
            generate_preview: None,
            throw_on_side_effect: None,
            timeout: None,
            disable_breaks: None,
            repl_mode: None,
            // The page's policy is for the page's scripts.
            allow_unsafe_eval_blocked_by_csp: Some(true),
            unique_context_id: None,
            serialization_options: None,
        })?;
        if let Some(thrown) = answer.exception_details {
            let description = thrown.exception.and_then(|object| object.description);
            bail!("the check's script failed: {}", description.unwrap_or(thrown.text));
        }
        let value = answer.result.value.unwrap_or_default();
        serde_json::from_value(value).context("the check's script returned something else")
    }

    /// Waits until the body of a function returns true.
    ///
    /// # Errors
    ///
    /// If that takes too long.
    pub fn wait_for(&self, body: &str, patience: Duration) -> Result<()> {
        let start = Instant::now();
        while start.elapsed() < patience {
            // While a page is replaced by the next one, questions fail.
            if self.ask::<bool>(body).unwrap_or(false) {
                return Ok(());
            }
            sleep(Duration::from_millis(20));
        }
        bail!("waited in vain for: {body}")
    }

    /// Moves the mouse to a place of the window, in CSS pixels.
    ///
    /// # Errors
    ///
    /// If the browser does not answer.
    pub fn move_mouse(&self, x: f64, y: f64) -> Result<()> {
        self.tab.move_mouse_to_point(Point { x, y })?;
        Ok(())
    }

    /// A picture of what the window shows, as PNG.
    ///
    /// # Errors
    ///
    /// If the browser does not answer.
    pub fn png(&self) -> Result<Vec<u8>> {
        let png = Cdp::CaptureScreenshotFormatOption::Png;
        self.tab.capture_screenshot(png, None, None, true)
    }

    /// The page on A4 paper, as PDF.
    ///
    /// # Errors
    ///
    /// If the browser does not answer.
    pub fn pdf(&self) -> Result<Vec<u8>> {
        const A4_INCHES: (f64, f64) = (8.27, 11.69);
        self.tab.print_to_pdf(Some(PrintToPdfOptions {
            paper_width: Some(A4_INCHES.0),
            paper_height: Some(A4_INCHES.1),
            print_background: Some(true),
            ..PrintToPdfOptions::default()
        }))
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        // If it cannot be closed, the browser closes it when it ends.
        let _ = self.tab.close_target();
    }
}
