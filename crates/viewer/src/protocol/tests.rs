use super::*;
use stiction::recording::RecordedShape;

/// Numbers that single precision holds exactly, so that the round trip can be compared with `==`.
fn exact_frame() -> Frame {
    let mark = |bodies, mode| ContactMark {
        bodies,
        point: [0.5, -0.25, 0.0],
        normal: [0.0, 0.0, 1.0],
        force: [1.5, 0.0, 24.5],
        mu: 0.75,
        mode,
    };
    Frame {
        t: 0.1,
        poses: vec![([1.0, 2.0, 3.0], [1.0, 0.0, 0.0, 0.0]), ([-1.0, 0.5, 0.125], [0.5, 0.5, -0.5, 0.5])],
        contacts: vec![
            mark([None, Some(1)], ContactMode::Stick),
            mark([Some(0), Some(1)], ContactMode::Slide),
            mark([Some(1), None], ContactMode::Open),
        ],
        natural_map: 3.0e-13,
        energy: std::f64::consts::PI,
        step: StepMark {
            own_natural_map: 2.0e-13,
            penetration: 0.5,
            iterations: 9,
            outcome: StepOutcome::NotConverged,
            remedy: Some(Remedy::EnergyGuard),
            worst: Some(2),
        },
        joints: vec![0.25, -1.5],
        efforts: vec![8.0],
        patches: vec![],
    }
}

fn exact_patch() -> PatchMark {
    let corner = |i: usize| ([i as f64, 0.5, -0.25], 1000.0 * i as f64);
    PatchMark { bodies: [Some(1), None], polygons: vec![3, 4], corners: (0..7).map(corner).collect() }
}

fn encoded(frame: &Frame) -> Vec<u8> {
    let mut bytes = Vec::new();
    encode_frame_into(frame, &mut bytes);
    bytes
}

#[test]
fn a_frame_survives_the_round_trip() {
    let frame = exact_frame();
    let bytes = encoded(&frame);
    assert_eq!(bytes.len(), 64 + 2 * 28 + 3 * 52 + 3 * 4);
    assert_eq!(decode_frame(&bytes), Ok(frame));
}

/// A frame with contact surfaces is one without, and more behind it: what is cut, or tells lies, is an error.
#[test]
fn patches_follow_the_frame() {
    let plain = encoded(&exact_frame());
    let frame = Frame { patches: vec![exact_patch(), PatchMark::default()], ..exact_frame() };
    let bytes = encoded(&frame);
    assert_eq!(bytes.len(), frame_size(&frame));
    assert_eq!(bytes.len(), plain.len() + (16 + 2 * 4 + 7 * 16) + 16);
    assert_eq!(bytes[..plain.len()], plain);
    let patch = &bytes[plain.len()..];
    assert_eq!(patch[0..4], 1_i32.to_le_bytes());
    assert_eq!(patch[4..8], (-1_i32).to_le_bytes());
    assert_eq!(patch[8..24], [2, 0, 0, 0, 7, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0]);
    assert_eq!(patch[24 + 16..24 + 20], 1.0_f32.to_le_bytes()); // x of corner 1
    assert_eq!(patch[24 + 28..24 + 32], 1000.0_f32.to_le_bytes()); // its pressure
    assert_eq!(decode_frame(&bytes), Ok(frame));

    for length in (plain.len() + 1..bytes.len()).filter(|l| l + 16 != bytes.len()) {
        assert!(decode_frame(&bytes[..length]).is_err(), "cut at {length}");
    }
    let mut short = bytes.clone();
    short[plain.len() + 16] = 2;
    assert_eq!(decode_frame(&short), Err(DecodeError::Polygons(7)));
    let mut endless = bytes;
    endless[plain.len() + 8..plain.len() + 16].fill(0xff);
    assert_eq!(decode_frame(&endless), Err(DecodeError::Truncated));
}

#[test]
fn every_outcome_has_a_code_of_its_own() {
    for code in 0..6 {
        assert_eq!(outcome_of_code(code).map(outcome_code), Ok(code));
    }
    assert_eq!(outcome_of_code(6), Err(DecodeError::Outcome(6)));
    for code in 0..7 {
        assert_eq!(remedy_of_code(code).map(remedy_code), Ok(code));
    }
    assert_eq!(remedy_of_code(7), Err(DecodeError::Remedy(7)));
}

/// What single precision or the grid cannot hold comes back as near as the module says; what is no number as such.
#[test]
fn numbers_are_rounded_as_promised() {
    let mut frame = exact_frame();
    frame.poses[0].0 = [0.123_456_789, -9.876_543_21, f64::NAN];
    frame.poses[1].1 = [0.6, 0.64, 0.48, f64::INFINITY];
    frame.contacts[0].force = [1.234_567_89e-3, -98_765.432, f64::NEG_INFINITY];
    frame.efforts[0] = -29.430_001;
    let back = decode_frame(&encoded(&frame)).unwrap();
    for (told, meant) in
        [(back.poses[0].0[0], 0.123_456_789), (back.poses[0].0[1], -9.876_543_21), (back.poses[1].1[1], 0.64)]
    {
        assert!((told - meant).abs() <= 0.5_f64.powi(20), "{told}, not {meant}");
        assert_eq!((told * GRID).fract(), 0.0);
    }
    assert!(back.poses[0].0[2].is_nan() && back.poses[1].1[3] == f64::INFINITY);
    for (told, meant) in [
        (back.contacts[0].force[0], 1.234_567_89e-3),
        (back.contacts[0].force[1], -98_765.432),
        (back.efforts[0], -29.430_001),
    ] {
        assert!((told / meant - 1.0).abs() <= 0.5_f64.powi(20), "{told}, not {meant}");
    }
    assert_eq!(back.contacts[0].force[2], f64::NEG_INFINITY);
}

#[test]
fn a_certificate_not_asked_for_stays_nan() {
    let frame = Frame { natural_map: f64::NAN, ..exact_frame() };
    let back = decode_frame(&encoded(&frame)).unwrap();
    assert!(back.natural_map.is_nan());
}

/// The offsets that the header of this file promises to other languages.
#[test]
fn the_layout_is_the_documented_one() {
    let bytes = encoded(&exact_frame());
    assert_eq!(bytes[0..8], 0.1_f64.to_le_bytes());
    assert_eq!(bytes[8..16], std::f64::consts::PI.to_le_bytes());
    assert_eq!(bytes[16..24], 3.0e-13_f64.to_le_bytes());
    assert_eq!(bytes[24..32], 2.0e-13_f64.to_le_bytes());
    assert_eq!(bytes[32..36], 0.5_f32.to_le_bytes());
    assert_eq!(bytes[36..48], [9, 0, 0, 0, 2, 4, 0, 0, 2, 0, 0, 0]);
    assert_eq!(bytes[48..64], [2, 0, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0]);
    assert_eq!(bytes[68..72], 2.0_f32.to_le_bytes()); // y of body 0
    let contact = &bytes[64 + 2 * 28..];
    assert_eq!(contact[0..4], (-1_i32).to_le_bytes());
    assert_eq!(contact[4..8], 1_i32.to_le_bytes());
    assert_eq!(contact[8..12], 1_u32.to_le_bytes());
    assert_eq!(contact[12 + 8 * 4..12 + 9 * 4], 24.5_f32.to_le_bytes()); // f_z
    assert_eq!(contact[48..52], 0.75_f32.to_le_bytes());
    let joints = &contact[3 * 52..];
    assert_eq!(joints[4..8], (-1.5_f32).to_le_bytes());
    assert_eq!(joints[8..12], 8.0_f32.to_le_bytes());
}

#[test]
fn broken_bytes_are_errors() {
    let good = encoded(&exact_frame());
    for length in 0..good.len() {
        assert!(decode_frame(&good[..length]).is_err(), "cut at {length}");
    }
    let mut bad_mode = good.clone();
    bad_mode[64 + 2 * 28 + 8] = 7;
    assert_eq!(decode_frame(&bad_mode), Err(DecodeError::Mode(7)));

    let mut bad_count = good;
    bad_count[48..56].fill(0xff); // 4 billion bodies: refused before anything is allocated
    assert!(matches!(decode_frame(&bad_count), Err(DecodeError::Length { .. })));
}

#[test]
fn a_pack_holds_the_scene_and_every_frame() {
    let later = Frame { t: 0.2, contacts: vec![], ..exact_frame() };
    let recording = Recording {
        name: "two \"boxes\" </script>".into(),
        contact_model: "ncp-pgs".into(),
        dt: 1e-3,
        tolerance: 1e-8,
        notes: Vec::new(),
        bodies: vec!["a".into(), "b".into()],
        geometries: vec![RecordedGeometry {
            name: "floor".into(),
            body: None,
            shape: RecordedShape::Box { half: [1.0, 2.0, 0.5] },
            position: [0.0; 3],
            quaternion: [1.0, 0.0, 0.0, 0.0],
            rgba: [0.1, 0.2, 0.3, 1.0],
        }],
        mechanism: Mechanism::default(),
        runs: vec![RecordedRun { name: "sap".into(), first: 1, count: 1 }],
        frames: vec![exact_frame(), later],
    };
    let bytes = pack(&recording);
    let (scene, frames) = unpack(&bytes).unwrap();
    assert_eq!(frames, recording.frames);

    let scene: serde_json::Value = serde_json::from_str(scene).unwrap();
    assert_eq!(scene["stiction_protocol"], VERSION);
    assert_eq!(scene["name"], "two \"boxes\" </script>");
    assert_eq!(scene["geometries"][0]["shape"]["kind"], "box");
    assert_eq!(scene["geometries"][0]["shape"]["half"][1], 2.0);
    assert!(scene["geometries"][0]["body"].is_null());
    assert_eq!(scene["runs"][0]["first"], 1);

    assert_eq!(unpack(&bytes[..bytes.len() - 1]), Err(DecodeError::Truncated));
}
