//! HTTP/1.1 as far as the page needs it: one request a connection, read whole, and its answer.

use std::io::{self, Read, Write};

/// Bytes of the head of a request.
const LONGEST_HEAD: usize = 16 << 10;

/// The head of a request.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) method: String,
    pub(crate) path: String,
    query: String,
    /// Names in small letters.
    headers: Vec<(String, String)>,
}

impl Request {
    /// Reads up to the empty line; what follows it stays unread.
    pub(crate) fn read(from: &mut impl Read) -> io::Result<Self> {
        let mut head = Vec::new();
        let mut byte = [0];
        while !head.ends_with(b"\r\n\r\n") {
            if head.len() == LONGEST_HEAD {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            from.read_exact(&mut byte)?;
            head.push(byte[0]);
        }
        String::from_utf8(head)
            .ok()
            .and_then(|head| Self::parse(&head))
            .ok_or(io::ErrorKind::InvalidData.into())
    }

    fn parse(head: &str) -> Option<Self> {
        let mut lines = head.split("\r\n");
        let mut words = lines.next()?.split(' ');
        let (method, target, version) = (words.next()?, words.next()?, words.next()?);
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let header = |line: &str| {
            let (name, value) = line.split_once(':')?;
            Some((name.to_ascii_lowercase(), value.trim().to_owned()))
        };
        let headers = lines.take_while(|line| !line.is_empty()).map(header).collect::<Option<_>>()?;
        let known = version.starts_with("HTTP/1.") && words.next().is_none();
        known.then(|| Self {
            method: method.to_owned(),
            path: path.to_owned(),
            query: query.to_owned(),
            headers,
        })
    }

    /// The value of a header, by its name in small letters.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n == name).map(|(_, value)| &**value)
    }

    /// The value of `name` in the query, as it stands there.
    pub(crate) fn query(&self, name: &str) -> Option<&str> {
        self.query
            .split('&')
            .filter_map(|part| part.split_once('='))
            .find(|(n, _)| *n == name)
            .map(|(_, v)| v)
    }

    /// The body, of a stated length of at most `limit` bytes.
    pub(crate) fn body(&self, from: &mut impl Read, limit: usize) -> io::Result<Vec<u8>> {
        let length = self.header("content-length").and_then(|length| length.parse().ok());
        let length = length.filter(|length| *length <= limit).ok_or(io::ErrorKind::InvalidData)?;
        let mut body = vec![0; length];
        from.read_exact(&mut body)?;
        Ok(body)
    }
}

/// Answers, and says that the connection ends. `status` is the number with its words.
pub(crate) fn answer(
    to: &mut impl Write,
    status: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> io::Result<()> {
    let mut head = format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n", body.len());
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    to.write_all(format!("{head}\r\n{body}").as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_read_up_to_its_body() {
        let bytes = b"POST /picture?a=1&token=x HTTP/1.1\r\nHOST: here:1\r\nContent-Length: 3\r\n\r\nPNGmore";
        let mut rest = &bytes[..];
        let request = Request::read(&mut rest).unwrap();
        assert_eq!((&*request.method, &*request.path), ("POST", "/picture"));
        assert_eq!((request.query("token"), request.query("b")), (Some("x"), None));
        assert_eq!((request.header("host"), request.header("origin")), (Some("here:1"), None));
        assert_eq!(request.body(&mut rest, 3).unwrap(), b"PNG");
        assert!(request.body(&mut rest, 2).is_err(), "longer than allowed");
    }

    #[test]
    fn what_is_no_request_is_an_error() {
        let long = format!("GET / HTTP/1.1\r\nx: {}\r\n\r\n", "y".repeat(20_000));
        for bytes in [
            "",
            "GET / HTTP/1.1\r\n",
            "GET /\r\n\r\n",
            "GET / HTTP/2\r\n\r\n",
            "GET / HTTP/1.1\r\nx\r\n\r\n",
            &long,
        ] {
            assert!(Request::read(&mut bytes.as_bytes()).is_err(), "{bytes}");
        }
    }
}
